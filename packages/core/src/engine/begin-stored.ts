import type { ConversationMemory, MemoryErrorUnion, Message } from "@jaf/memory";
import {
  createMemoryConflictError,
  createMemoryValidationError,
  sanitizeConversation,
} from "@jaf/memory/engine";
import type { ContinuationRejected } from "../errors.ts";
import { type GivenDecisions, isUndecided } from "../interruption/undecided.ts";
import { durabilityOf, type MemoryConfig } from "../memory/config.ts";
import type { ConversationEnd } from "../memory/end-cache.ts";
import type { Journal } from "../memory/journal.ts";
import type { Loaded } from "../memory/loaded.ts";
import { firstPositionOf, versionOf } from "../memory/metadata.ts";
import { recallUnchecked } from "../memory/recall.ts";
import { givesOutTails, isWhole, type Tail, tailForCopy, tailOf } from "../memory/tail.ts";
import { isHistory, unsaidMessages } from "../memory/unsaid.ts";
import type { RunState } from "../state.ts";
import { fail, failMemory, failTurn, OPERATION, type Step } from "../step.ts";
import { abortError } from "../timing/abort.ts";
import { type Admission, openAdmission } from "./admit.ts";
import { memoryConfigIssues } from "./check-memory-config.ts";
import { takeContinuation } from "./continuation.ts";
import { judgeInput } from "./judge-input.ts";
import { answerDecided, resume } from "./resume.ts";
import type { RunScope } from "./scope.ts";
import { isByToken, sentIn } from "./sent-continuation.ts";
import { endedBefore } from "./stored-ending.ts";
import { findUnfinished, type Unfinished } from "./unfinished.ts";

/** What is new to the stored conversation. */
interface News {
  readonly unsaid: readonly Message[];
  readonly given: GivenDecisions;
}

/** Loads the conversation once no other run has its turn, and takes in what is new. */
export async function beginStored<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  journal: Journal,
): Promise<Step<Ctx>> {
  const issues = memoryConfigIssues(journal.memory, state);
  if (issues.length > 0) {
    return failMemory(state, createMemoryValidationError(issues, { operation: OPERATION }));
  }
  const admission = openAdmission(journal, scope.config.signal);
  scope.onClose(admission.leave);
  let tail = neededEnd(scope, state, journal.memory);
  let end = scope.config.continuation === undefined ? journal.takeEnd() : undefined;
  let assumed =
    end && mayAssume(scope, state, journal.memory) ? recallUnchecked(end, { tail, journal }) : undefined;
  let isAdmitted = false;
  for (;;) {
    const entry: Entry = { journal, admission, tail, isAdmitted, end, assumed };
    const step: Step<Ctx> | "needs all" = await enter(scope, state, entry);
    isAdmitted = step === "needs all";
    if (step === "needs all") tail = undefined;
    else if (step.lostTurn !== true || (assumed === undefined && !admission.mayWait())) return step;
    end = undefined;
    assumed = undefined;
  }
}

/**
 * Whether the run may begin with what this process knows of the conversation: its first write, before which nothing is done,
 * tells whether that still holds. The same run may have been here before, unless its id is new: then the store is asked.
 */
function mayAssume<Ctx>(
  { isFirst, given }: RunScope<Ctx>,
  { messages }: RunState<Ctx>,
  memory: MemoryConfig,
): boolean {
  const isSaid = messages.length > 0 && !isHistory(messages);
  return isFirst && isSaid && isUndecided(given) && durabilityOf(memory) !== "completed";
}

/** `undefined` where all must be read: an application's validator is given all that is stored. */
function neededEnd<Ctx>(
  { config: { continuation, validate } }: RunScope<Ctx>,
  { messages }: RunState<Ctx>,
  memory: MemoryConfig,
): Tail | undefined {
  if (continuation === undefined) return tailOf(memory, messages);
  if (validate !== undefined) return undefined;
  return tailForCopy(memory, isByToken(continuation) ? [] : continuation);
}

interface Entry {
  readonly journal: Journal;
  readonly admission: Admission;
  readonly tail: Tail | undefined;
  /** Whether it is read again what this run was admitted to. */
  readonly isAdmitted: boolean;
  readonly end: ConversationEnd | undefined;
  /** What is taken for the stored conversation. */
  readonly assumed: Loaded | undefined;
}

async function enter<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  { journal, admission, tail, ...entry }: Entry,
): Promise<Step<Ctx> | "needs all"> {
  const { conversationId } = journal;
  const { continuation } = scope.config;
  const loaded = await admission.load(tail, entry);
  if (!loaded.success) return failMemory(state, loaded.error);
  const stored = loaded.data.conversation;
  const messages = stored?.messages ?? [];
  const tell = () =>
    scope.emit?.({ type: "memory_loaded", data: { conversationId, messageCount: messages.length } });
  const isAssumed = loaded.data === entry.assumed;
  journal.loaded(loaded.data, isAssumed ? tell : undefined);
  if (!isAssumed) tell();
  const ended = await endedBefore(scope, state, loaded.data);
  if (ended !== undefined) return ended;
  const unfinished = await findUnfinished(scope, state, { messages, stored });
  const isAll = tail === undefined || isWhole(stored);
  // What wasn't loaded can be checked, once it is.
  const dropped = isAll ? firstPositionOf(stored) : 0;
  const news = await findNews(scope, state, { journal, unfinished, dropped });
  if ("refused" in news) {
    // A copy that isn't the end's may be one of more than the end. What a token stands for is the store's to say.
    const isDecided = isAll || isByToken(continuation);
    return isDecided ? fail(state, news.refused) : "needs all";
  }
  if ("failed" in news) return news.failed;
  if (news.unsaid.length === 0 && stored !== null) return resume(scope, unfinished, news.given);
  return hear(scope, state, { journal, news, unfinished });
}

async function findNews<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  {
    journal,
    unfinished,
    dropped,
  }: { readonly journal: Journal; readonly unfinished: Unfinished<Ctx>; readonly dropped: number },
): Promise<News | { readonly refused: ContinuationRejected } | { readonly failed: Step<Ctx> }> {
  const { stored } = unfinished;
  const { continuation } = scope.config;
  if (continuation !== undefined) {
    const taken = await takeContinuation(scope, { sent: sentIn(continuation), dropped }, unfinished);
    if (!taken.ok) return { refused: taken.error };
    return { unsaid: [...taken.added, ...state.messages], given: taken.given };
  }
  const mayBeginLater = isHistory(state.messages) && givesOutTails(journal.memory);
  const unsaid = unsaidMessages(state.messages, stored, { mayBeginLater });
  if (unsaid === undefined) return { failed: failMemory(state, historyConflict(stored)) };
  return { unsaid, given: scope.given };
}

/** Takes in what is new: first what was decided about open calls, then what was said. */
async function hear<Ctx>(
  scope: RunScope<Ctx>,
  initial: RunState<Ctx>,
  {
    journal,
    news,
    unfinished,
  }: { readonly journal: Journal; readonly news: News; readonly unfinished: Unfinished<Ctx> },
): Promise<Step<Ctx>> {
  const { unsaid, given } = news;
  // On its own: a call of the caller's is never stored as open, and a result of theirs never answers a stored call.
  const added = sanitizeConversation(unsaid);
  if (added.length === 0 && unsaid.length > 0) return failMemory(initial, nothingToAdd());
  const blocked = await judgeInput(scope, initial, added);
  if (blocked !== undefined) return blocked;
  const aborted = abortError(scope.config.signal);
  if (aborted !== undefined) return fail(initial, aborted);
  if (isUndecided(given)) return say(initial, { journal, added, unfinished });
  // Calls that still wait are given up: the conversation goes on without them, in the turn that this run has now.
  const { step } = await answerDecided(scope, unfinished, given);
  if (step.outcome !== undefined) return step;
  const next = { ...step.state, messages: [...step.state.messages, ...added] };
  const saved = await journal.incoming(added, { agentName: next.currentAgentName });
  return saved.success ? { state: next } : failMemory(next, saved.error);
}

async function say<Ctx>(
  initial: RunState<Ctx>,
  {
    journal,
    added,
    unfinished,
  }: {
    readonly journal: Journal;
    readonly added: readonly Message[];
    readonly unfinished: Unfinished<Ctx>;
  },
): Promise<Step<Ctx>> {
  const entry = { agentName: initial.currentAgentName };
  const { memory } = journal;
  if (memory.concurrency === "queue" && durabilityOf(memory) === "completed") {
    const claimed = await journal.claim(entry);
    if (!claimed.success) return failTurn(initial, claimed.error);
  }
  const next = { ...initial, messages: [...unfinished.state.messages, ...added] };
  const saved = await journal.incoming(added, entry);
  return saved.success ? { state: next } : failTurn(next, saved.error);
}

function historyConflict(stored: ConversationMemory | null): MemoryErrorUnion {
  const actualVersion = stored === null ? undefined : versionOf(stored);
  return createMemoryConflictError("version", {
    operation: OPERATION,
    ...(actualVersion === undefined ? {} : { actualVersion }),
  });
}

function nothingToAdd(): MemoryErrorUnion {
  const expected =
    "user messages, replies, or tool calls together with their results; a call without its result, or a result without its call, can't be added to a conversation";
  return createMemoryValidationError([{ path: "RunState.messages", expected }], { operation: OPERATION });
}
