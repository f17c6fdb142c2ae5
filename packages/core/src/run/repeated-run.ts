import type { ConversationMemory, Message } from "@jaf/memory";
import {
  createMemoryConflictError,
  createMemoryStorageError,
  type ProviderReading,
  sameJson,
} from "@jaf/memory/internal";
import { abortable } from "../limits/abort.ts";
import { fail, failMemory, OPERATION, type RunProgress, type RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { hasTaken } from "../stored/inbox-record.ts";
import { loadConversation, type StoredOutcome, storedOutcomeOf } from "../stored/load.ts";
import { isFinalReply } from "../stored/new-messages.ts";
import { concludeStored } from "./conclude.ts";
import { findOpenCalls } from "./open-calls.ts";
import { onlyAsks, resume } from "./resume.ts";

type Replied = Extract<StoredOutcome, { readonly kind: "replied" }>;

/**
 * Resolves with the stored outcome of this run if an earlier execution has ended it; otherwise with `undefined`.
 * Nothing is called, and nothing is stored except new requests for expired approvals. Rejects if the run is aborted.
 */
export async function outcomeOfRepeatedRun<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  reading: ProviderReading,
): Promise<RunProgress<Ctx> | undefined> {
  const { conversation: stored } = reading;
  const outcome = storedOutcomeOf(reading);
  if (outcome === undefined || stored === null) return undefined;
  switch (outcome.kind) {
    case "replied":
      return replyAgain(scope, state, { outcome, stored });
    case "interrupted":
      return waitAgain(scope, state, stored);
    case "changed":
      return failMemory(state, hasChanged());
    case "dropped":
      return failMemory(state, isDropped());
  }
}

/**
 * Resolves with the outcome of another execution of the same run that ended first; `undefined` if it can't be loaded.
 */
export async function outcomeElsewhere<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
): Promise<RunProgress<Ctx> | undefined> {
  const { journal, config } = scope;
  if (journal === undefined) return undefined;
  const { memory, conversationId, runKey: receiptFor } = journal;
  const { signal } = config;
  try {
    const loaded = await abortable(loadConversation(memory, conversationId, { receiptFor, signal }), signal);
    if (!loaded.success) return undefined;
    journal.loaded(loaded.data);
    return await outcomeOfRepeatedRun(scope, state, loaded.data);
  } catch (thrown) {
    if (signal?.aborted !== true) throw thrown;
    return undefined;
  }
}

interface RepliedIn {
  readonly outcome: Replied;
  readonly stored: ConversationMemory;
}

async function replyAgain<Ctx>(
  scope: RunScope<Ctx>,
  initial: RunState<Ctx>,
  { outcome: { messages, reply, isLast }, stored }: RepliedIn,
): Promise<RunProgress<Ctx>> {
  const handedIn = [...(scope.sent?.messages ?? []), ...initial.messages];
  if (!answersSame(answeredBy(messages, stored), handedIn)) {
    return failMemory(initial, hasChanged());
  }
  // If other messages follow the reply, the stored metadata is that of a later run, so this run's outcome isn't made from it.
  const { state, found } = await findOpenCalls(scope, initial, { messages, stored: isLast ? stored : null });
  if (!found.ok) return fail(state, found.error);
  return concludeStored(scope, { state, agent: found.agent }, reply);
}

const isSaid = ({ role }: Message): boolean => role === "user";

/**
 * Returns the user messages that the reply at the end of `messages` answers: the last one, or all of the turn if the
 * run can have taken some from the inbox after its own.
 */
function answeredBy(messages: readonly Message[], stored: ConversationMemory): readonly Message[] {
  if (!hasTaken(stored)) return messages.filter(isSaid).slice(-1);
  const before = messages.slice(0, -1).findLastIndex(isFinalReply);
  return messages.slice(before + 1).filter(isSaid);
}

/** Returns whether the stored reply answers the user message of this run. `answered`: the messages that it answers. */
function answersSame(answered: readonly Message[], handedIn: readonly Message[]): boolean {
  // If the end of a conversation was replaced, another reply can be at the position of this run's reply.
  const asked = handedIn.findLast(isSaid);
  return asked === undefined || answered.length === 0 || answered.some((message) => sameJson(asked, message));
}

async function waitAgain<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  stored: ConversationMemory,
): Promise<RunProgress<Ctx>> {
  const { messages } = stored;
  const stopped = await findOpenCalls(scope, state, { messages, stored });
  const { found, calls } = stopped;
  if (!found.ok) return fail(stopped.state, found.error);
  if (calls === undefined || !onlyAsks(calls)) return failMemory(state, hasChanged());
  return resume(scope, stopped, { approvals: [], toolResults: [] });
}

const hasChanged = () => createMemoryConflictError("version", { operation: OPERATION });

const isDropped = () =>
  createMemoryStorageError(
    OPERATION,
    "this run has ended before, and the store has dropped its reply since (RunConfig.memory.maxMessages); to send the same messages again, use another run id",
  );
