import { toResult } from "@jaf/core/internal";
import type {
  Message,
  MessageSelection,
  VersionedMemoryProvider,
  WriteMetadata,
  WriteOptions,
  WriteResult,
} from "@jaf/memory";
import { retryWithBackoff } from "@jaf/memory/adapter";
import { present } from "@jaf/memory/internal";
import { plainEvent } from "../turns/encoded-event.ts";
import type { TurnEnd } from "../turns/turn-event.ts";
import { editKey } from "./edit.ts";
import { hasStored, type JobParts, type JobResult, recordWrite } from "./job.ts";
import { isTooOld } from "./left-turn.ts";
import { type ConversationBase, userMessagesOf } from "./stored-request.ts";
import type { TurnFailedError } from "./turn-failed-error.ts";

/**
 * Ends a turn that was stopped on request. Stores `openText`, which readers saw of an unfinished reply, as the agent's
 * message.
 */
export async function endStopped<Ctx>(
  job: JobParts<Ctx>,
  { openText, agentName }: { readonly openText: string; readonly agentName: string },
  ending: TurnEnd,
): Promise<JobResult> {
  const { lease } = job;
  // The text that readers saw must be the stored text, even if another process takes over now.
  if (!(await lease.flush())) return leaseLost(job);
  const message = await keepShown(job, openText);
  if (message === "later") return leave(job);
  if (message !== undefined) lease.push({ type: "message", agentName, message, stopped: true });
  return endTurn(job, ending);
}

/** What a turn fails with if its messages mustn't be stored: a guardrail blocked them, or they don't fit the history. */
const OF_THE_MESSAGE: ReadonlySet<string> = new Set(["InputGuardrailTripwire", "ContinuationRejected"]);

/**
 * Ends a turn whose run failed. Stores the user's messages if nothing of the turn is stored, because the server has
 * accepted them. With durability `"completed"`, a run that fails stores nothing itself.
 */
export async function endFailed<Ctx>(
  job: JobParts<Ctx>,
  ending: TurnEnd,
  reported?: TurnFailedError,
): Promise<JobResult> {
  if (!OF_THE_MESSAGE.has(ending.error?.code ?? "") && job.options.request.edit === undefined) {
    const kept = await keepShown(job, "", await observedVersion(job));
    if (kept === "later") return leave(job);
  }
  return endTurn(job, ending, reported);
}

/** Returns the conversation's version, which another run's late write can have changed, unless the turn has written it. */
async function observedVersion<Ctx>(job: JobParts<Ctx>): Promise<number | undefined> {
  const { options, written } = job;
  const { turnId } = options;
  const read = await readStored(job, "none");
  const metadata = read.success ? read.data.conversation?.metadata : undefined;
  return metadata?.["traceId"] === turnId ? written.version : (metadata?.version ?? written.version);
}

/**
 * Stores the text that readers saw, and the user's messages if nothing of the turn is stored. Returns the text's message,
 * or `"later"` if another process must store them. `version`: that which the conversation must have; `undefined`: its
 * version before the turn.
 */
async function keepShown<Ctx>(
  job: JobParts<Ctx>,
  text: string,
  version = job.written.version,
): Promise<Message | "later" | undefined> {
  const { options, lease, taken } = job;
  const { scope, conversationId, turnId, request } = options;
  const { config } = scope.settings;
  const base = lease.base();
  if (base === undefined) return undefined;
  const message: Message | undefined = text.trim() === "" ? undefined : { role: "assistant", content: text };
  // An unmade edit is stored with the text, which must not follow the messages that the edit replaces.
  const makesEdit = isUnmadeEdit(job);
  // A write whose answer was lost has changed the version, so nothing is stored twice.
  const hasNothing = makesEdit || (!hasStored(job) && taken?.hasProgress !== true);
  const said = hasNothing ? (userMessagesOf(request.input) ?? []) : [];
  // An edit of which nothing was seen isn't made: the messages that it replaces stay.
  if (message === undefined && (makesEdit || said.length === 0)) return undefined;
  const { maxMessages, ttl } = config.memory;
  const kept = await appendAfterOutage(job, {
    conversationId,
    messages: [...said, ...(message === undefined ? [] : [message])],
    metadata: { userId: request.identity.userId, traceId: turnId },
    options: {
      idempotencyKey: makesEdit ? editKey(turnId) : `${turnId}:stopped`,
      expectedIncarnation: base.incarnation,
      expectedVersion: version ?? base.version,
      ...(makesEdit ? { dropLast: request.dropLast ?? 0 } : {}),
      ...present({ maxMessages, ttlSeconds: ttl }),
    },
  });
  if (kept === "later") return kept;
  if (kept.success) {
    recordWrite(job, kept.receipt);
    return message;
  }
  const isWritten = message !== undefined && kept.error._tag === "MemoryConflictError";
  return isWritten ? storedReply(job, base) : undefined;
}

/** Returns the turn's last reply if it is stored and nothing follows it, and otherwise `undefined`. */
async function storedReply<Ctx>(job: JobParts<Ctx>, base: ConversationBase): Promise<Message | undefined> {
  // The write of the reply may have been stored although it seemed to fail.
  const read = await readStored(job, { limit: 1 });
  if (!read.success || read.data.incarnation !== base.incarnation) return undefined;
  const last = read.data.conversation?.messages.at(-1);
  return last?.role === "assistant" && read.data.firstPosition >= base.position ? last : undefined;
}

/**
 * Stores the turn's last event and its `TurnRecord` in the log, which ends the turn. Resolves with the kind
 * `"elsewhere"` if the lease is lost. `reported`: the error to pass to `onError`.
 */
export async function endTurn<Ctx>(
  job: JobParts<Ctx>,
  ending: TurnEnd,
  reported?: TurnFailedError,
): Promise<JobResult> {
  const { lease, recorder, options } = job;
  const { eventSeconds, recordSeconds } = options.scope.settings;
  const { version, to } = await stateAtEnd(job);
  const from = lease.base()?.position;
  const last = plainEvent<TurnEnd>(version === undefined ? ending : { ...ending, version });
  const positions = from === undefined || to === undefined ? undefined : { from, to };
  const waits = (last.interruptions ?? []).length > 0;
  const ended = await lease.end(last, {
    state: waits ? "waiting" : "ended",
    record: JSON.stringify(recorder.record(last, positions)),
    ...{ eventSeconds, recordSeconds },
  });
  if (!ended) return leaseLost(job);
  if (reported !== undefined) options.scope.settings.onError(reported);
  return { kind: "ended", end: last };
}

/** Leaves the end of a turn to the process that takes it over. */
async function leave<Ctx>({ lease }: JobParts<Ctx>): Promise<JobResult> {
  await lease.release();
  return { kind: "left" };
}

async function leaseLost<Ctx>({ lease }: JobParts<Ctx>): Promise<JobResult> {
  lease.close();
  return { kind: "elsewhere" };
}

/** Checks whether the turn is an edit that isn't stored yet, as far as this process knows. */
function isUnmadeEdit<Ctx>({ options, written, lease }: JobParts<Ctx>): boolean {
  const base = lease.base();
  if (options.request.dropLast === undefined || base === undefined) return false;
  // Only changes of messages change the version.
  return (written.version ?? base.version) === base.version;
}

/**
 * Returns the conversation's version, and the position after its last message (`to`). Both are `undefined` if the
 * conversation can't be read or was erased.
 */
async function stateAtEnd<Ctx>(
  job: JobParts<Ctx>,
): Promise<{ readonly version: number | undefined; readonly to: number | undefined }> {
  const { written, lease, options } = job;
  if (written.version !== undefined && written.to !== undefined && !isUnmadeEdit(job)) return written;
  const read = await readStored(job, "none");
  const base = lease.base();
  if (!read.success || read.data.incarnation !== base?.incarnation) {
    return { version: undefined, to: undefined };
  }
  const version = read.data.conversation?.metadata?.version;
  // A refused edit has added nothing, though old messages follow its position.
  const isAsBefore = options.request.edit !== undefined && version === base.version;
  return { version, to: isAsBefore ? base.position : read.data.firstPosition };
}

/**
 * Reads the turn's conversation. Fails if the provider throws: a thrown error would leave the turn open, and the process
 * that takes it over would run it again.
 */
const readStored = <Ctx>({ options }: JobParts<Ctx>, messages: MessageSelection) => {
  const { scope, conversationId } = options;
  return toResult("readConversation", () =>
    scope.settings.provider.readConversation(conversationId, { messages }),
  );
};

interface ServerWrite {
  readonly conversationId: string;
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata;
  readonly options: WriteOptions;
}

/** The pause between two attempts to store a turn's messages during an outage, in ms. */
const OUTAGE_PAUSE_MS = 2_000;

/**
 * Appends messages without which a turn mustn't end, because the server has accepted them. Waits for the end of an outage
 * until the turn is too old. Resolves with `"later"` if the process shuts down meanwhile, or has lost the lease.
 */
async function appendAfterOutage<Ctx>(
  job: JobParts<Ctx>,
  write: ServerWrite,
): Promise<WriteResult | "later"> {
  const { settings, isDraining } = job.options.scope;
  for (let attempt = 1; ; attempt++) {
    const kept = await appendRepeatedly(settings.provider, write);
    if (kept.success) return kept;
    if (!kept.error.retryable || isTooOld(job, settings)) return kept;
    if (attempt === 1) settings.onError(kept.error);
    if (isDraining() || job.reason() === "lost") return "later";
    await new Promise((resolve) => setTimeout(resolve, OUTAGE_PAUSE_MS));
  }
}

/** Appends messages that the server itself writes. Retries transient and thrown errors for up to 5 seconds. */
function appendRepeatedly(
  provider: VersionedMemoryProvider,
  { conversationId, messages, metadata, options }: ServerWrite,
): Promise<WriteResult> {
  const append = () => provider.appendMessages(conversationId, [...messages], { ...metadata }, options);
  return toResult("appendMessages", () =>
    retryWithBackoff(append, {
      maxElapsedMs: 5_000,
      isTransientError: () => true,
      // If `attempts` is set, a wrapper has already retried.
      isTransientResult: (result) =>
        !result.success && result.error.retryable && result.error.attempts === undefined,
    }),
  );
}
