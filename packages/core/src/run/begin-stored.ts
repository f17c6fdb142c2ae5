import type { ConversationMemory, MemoryErrorUnion, Message } from "@jaf/memory";
import {
  createMemoryConflictError,
  createMemoryValidationError,
  parseMessages,
  present,
  sanitizeConversation,
} from "@jaf/memory/internal";
import type { ContinuationRejected } from "../errors.ts";
import { type GivenDecisions, isUndecided } from "../interruption.ts";
import { abortError } from "../limits/abort.ts";
import { durabilityOf, type MemoryConfig, memoryConfigIssues } from "../memory-config.ts";
import { fail, failLease, failMemory, OPERATION, type RunProgress, type RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import type { Journal } from "../stored/journal.ts";
import { firstPositionOf, readMetadata, versionOf } from "../stored/metadata.ts";
import { isHistory, newMessagesIn } from "../stored/new-messages.ts";
import { type LeaseQueue, openLeaseQueue } from "../stored/queue.ts";
import { givesOutTails, isWhole, type Tail, tailForCopy, tailOf } from "../stored/tail.ts";
import { isSentByToken, takeContinuation } from "./continuation.ts";
import { checkInput } from "./guardrails.ts";
import { findOpenCalls, type StoppedConversation } from "./open-calls.ts";
import { outcomeOfRepeatedRun } from "./repeated-run.ts";
import { answerDecided, resume } from "./resume.ts";

/** The messages and decisions of a run that the stored conversation doesn't have yet. */
interface NewInput {
  readonly newMessages: readonly Message[];
  readonly given: GivenDecisions;
}

/**
 * Waits for the lease, loads the conversation, and adds the run's new messages and decisions. The progress has the
 * state for the first step, or an outcome.
 */
export async function beginStored<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  journal: Journal,
): Promise<RunProgress<Ctx>> {
  const issues = memoryConfigIssues(journal.memory, state);
  if (issues.length > 0) {
    return failMemory(state, createMemoryValidationError(issues, { operation: OPERATION }));
  }
  const queue = openLeaseQueue(journal, scope.config.signal);
  scope.onClose(queue.leave);
  let tail = neededTail(scope, state, journal.memory);
  let isReread = false;
  for (;;) {
    const progress: RunProgress<Ctx> | "needs all" = await attemptBegin(scope, state, {
      journal,
      queue,
      tail,
      isReread,
    });
    isReread = progress === "needs all";
    if (progress === "needs all") tail = undefined;
    else if (progress.lostLease !== true || !queue.mayLoadAgain()) return progress;
  }
}

/** Returns how to load only the end of the conversation; `undefined` if the whole conversation must be loaded. */
function neededTail<Ctx>(
  { sent, config: { validate } }: RunScope<Ctx>,
  { messages }: RunState<Ctx>,
  memory: MemoryConfig,
): Tail | undefined {
  if (sent === undefined) return tailOf(memory, messages);
  if (validate !== undefined) return undefined;
  return tailForCopy(memory, isSentByToken(sent) ? [] : sent.messages);
}

interface LoadAttempt {
  readonly journal: Journal;
  readonly queue: LeaseQueue;
  readonly tail: Tail | undefined;
  /** Whether the conversation is loaded a second time, because the end that was loaded first wasn't enough. */
  readonly isReread: boolean;
}

async function attemptBegin<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  { journal, queue, tail, isReread }: LoadAttempt,
): Promise<RunProgress<Ctx> | "needs all"> {
  const { conversationId } = journal;
  const loaded = await queue.load(tail, isReread);
  if (!loaded.success) return failMemory(state, loaded.error);
  const stored = loaded.data.conversation;
  const messages = stored?.messages ?? [];
  if (!scope.isContinuation) scope.onAccepted?.();
  journal.loaded(loaded.data);
  scope.emit?.({ type: "memory_loaded", data: { conversationId, messageCount: messages.length } });
  const ended = await outcomeOfRepeatedRun(scope, state, loaded.data);
  if (ended !== undefined) return ended;
  const stopped = await findOpenCalls(scope, state, { messages, stored });
  const { found } = stopped;
  // New messages alone give the open calls up, so the conversation can go on without their agent and tools.
  if (!found.ok && (found.error._tag === "MemoryError" || !isUndecided(scope.given)))
    return fail(state, found.error);
  const isAll = tail === undefined || isWhole(stored);
  // Messages that weren't loaded don't count as dropped, because they can still be loaded and checked.
  const dropped = isAll ? firstPositionOf(stored) : 0;
  const newInput = await findNewInput(scope, state, { journal, stopped, dropped });
  if ("refused" in newInput) {
    // If a client's copy doesn't match the loaded end, it can be a copy of the whole conversation. To check a token, no more
    // messages are needed.
    const isDecided = isAll || isSentByToken(scope.sent);
    return isDecided ? fail(state, newInput.refused) : "needs all";
  }
  if ("failed" in newInput) return newInput.failed;
  if (newInput.newMessages.length === 0 && stored !== null) return resume(scope, stopped, newInput.given);
  return takeInput(scope, beginningWith(scope, state, stopped), { journal, newInput, stopped });
}

/** Returns the state with the agent that gets the new messages; see `RunConfig.handoffsLast`. */
function beginningWith<Ctx>(
  { config: { handoffsLast, agentRegistry } }: RunScope<Ctx>,
  state: RunState<Ctx>,
  { state: { currentAgentName } }: StoppedConversation<Ctx>,
): RunState<Ctx> {
  return handoffsLast === "conversation" && agentRegistry.has(currentAgentName)
    ? { ...state, currentAgentName }
    : state;
}

async function findNewInput<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  {
    journal,
    stopped,
    dropped,
  }: { readonly journal: Journal; readonly stopped: StoppedConversation<Ctx>; readonly dropped: number },
): Promise<NewInput | { readonly refused: ContinuationRejected } | { readonly failed: RunProgress<Ctx> }> {
  const { stored } = stopped;
  const { sent } = scope;
  if (sent !== undefined) {
    const taken = await takeContinuation(scope, { sent, dropped }, stopped);
    if (!taken.ok) return { refused: taken.error };
    return { newMessages: [...taken.added, ...state.messages], given: taken.given };
  }
  if (stored !== null && isAskedAnew(scope, stored))
    return { newMessages: state.messages, given: scope.given };
  const mayBeginLater = isHistory(state.messages) && givesOutTails(journal.memory);
  const newMessages = newMessagesIn(state.messages, stored, { mayBeginLater });
  if (newMessages === undefined) return { failed: failMemory(state, historyConflict(stored)) };
  return { newMessages, given: scope.given };
}

/**
 * Returns whether another run has asked the conversation's last question, and this run is an inner one. Its question is
 * then a new one, even if it has the same words: the outer run can have given the other one up.
 */
const isAskedAnew = <Ctx>({ outerTurn, runId }: RunScope<Ctx>, stored: ConversationMemory): boolean =>
  outerTurn !== undefined && readMetadata(stored).runId !== runId;

/**
 * Adds a run's new input to the conversation: first the results that follow from decisions about calls, then the new
 * messages.
 */
async function takeInput<Ctx>(
  scope: RunScope<Ctx>,
  initial: RunState<Ctx>,
  {
    journal,
    newInput,
    stopped,
  }: { readonly journal: Journal; readonly newInput: NewInput; readonly stopped: StoppedConversation<Ctx> },
): Promise<RunProgress<Ctx>> {
  const { newMessages, given } = newInput;
  // Sanitized separately from the stored messages. Otherwise a caller could store a call without a result, or answer a stored
  // call.
  const added = sanitizeConversation(newMessages);
  if (added.length === 0 && newMessages.length > 0) return failMemory(initial, nothingToAdd());
  // With this durability, the store sees the messages only after the model calls, and would refuse invalid messages too late.
  const storable = durabilityOf(journal.memory) === "completed" ? parseMessages(added) : undefined;
  if (storable?.success === false) return failMemory(initial, storable.error);
  const blocked = await checkInput(scope, initial, added);
  if (blocked !== undefined) return blocked;
  const aborted = abortError(scope.config.signal);
  if (aborted !== undefined) return fail(initial, aborted);
  const { memory } = journal;
  const isDecided = !isUndecided(given);
  let before: RunState<Ctx> = { ...initial, messages: stopped.state.messages };
  if (isDecided) {
    // Calls without a decision are given up. The conversation continues without them, under this run's lease.
    const { progress } = await answerDecided(scope, stopped, given);
    if (progress.outcome !== undefined) return progress;
    before = progress.state;
  } else if (memory.concurrency === "queue" && durabilityOf(memory) === "completed") {
    const taken = await journal.takeLease({ agentName: initial.currentAgentName });
    if (!taken.success) return failLease(initial, taken.error);
  }
  const next = { ...before, messages: [...before.messages, ...added] };
  const saved = await journal.input(added, { agentName: next.currentAgentName });
  if (saved.success) return { state: next };
  return isDecided ? failMemory(next, saved.error) : failLease(next, saved.error);
}

function historyConflict(stored: ConversationMemory | null): MemoryErrorUnion {
  const actualVersion = stored === null ? undefined : versionOf(stored);
  return createMemoryConflictError("version", {
    operation: OPERATION,
    ...present({ actualVersion }),
  });
}

function nothingToAdd(): MemoryErrorUnion {
  const expected =
    "user messages, replies, or tool calls together with their results; a call without its result, or a result without its call, can't be added to a conversation";
  return createMemoryValidationError([{ path: "RunState.messages", expected }], { operation: OPERATION });
}
