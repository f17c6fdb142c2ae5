import { type JAFError, JAFErrorHandler, type PromptResult } from "@jaf/core";
import type {
  Message,
  RichMessage,
  VersionedMemoryProvider,
  WriteMetadata,
  WriteOptions,
  WriteResult,
} from "@jaf/memory";
import { retryWithBackoff } from "@jaf/memory/adapter";
import { present } from "@jaf/memory/internal";
import { plainEvent, type TurnEnd, type TurnError } from "../turns/turn-event.ts";
import { editKey } from "./edit.ts";
import { type JobParts, type JobResult, recordWrite } from "./job.ts";
import type { TurnSettings } from "./options.ts";
import { type ConversationBase, userMessagesOf } from "./stored-request.ts";

/** Keeps what was said so far, once, as a reply of the agent. */
export async function endStopped<Ctx>(
  job: JobParts<Ctx>,
  { openText, agentName }: { readonly openText: string; readonly agentName: string },
  ending: TurnEnd,
): Promise<JobResult> {
  const { lease } = job;
  // What readers were shown is what is kept, also by a process that takes over from here.
  if (!(await lease.flush())) return leaseLost(job);
  const message = openText.trim() === "" ? undefined : await keepText(job, openText);
  if (message !== undefined) lease.push({ type: "message", agentName, message, stopped: true });
  return endTurn(job, ending);
}

async function keepText<Ctx>(job: JobParts<Ctx>, text: string): Promise<Message | undefined> {
  const { options, lease, written, taken } = job;
  const { scope, conversationId, turnId, request } = options;
  const { provider, config } = scope.settings;
  const base = lease.base();
  if (base === undefined) return undefined;
  const message: Message = { role: "assistant", content: text };
  // With the text the edit is made, too: behind what it replaces the text mustn't come.
  const makesEdit = isUnmadeEdit(job);
  const hasNothing =
    makesEdit || (written.count === 0 && taken?.hasProgress !== true && storesAtTheEnd(scope.settings));
  const { maxMessages, ttl } = config.memory;
  const kept = await appendRepeatedly(provider, {
    conversationId,
    messages: [...(hasNothing ? (userMessagesOf(request.input) ?? []) : []), message],
    metadata: { userId: request.identity.userId, traceId: turnId },
    options: {
      idempotencyKey: makesEdit ? editKey(turnId) : `${turnId}:stopped`,
      expectedIncarnation: base.incarnation,
      expectedVersion: written.version ?? base.version,
      ...(makesEdit ? { dropLast: request.dropLast ?? 0 } : {}),
      ...present({ maxMessages, ttlSeconds: ttl }),
    },
  });
  if (kept.success) {
    recordWrite(job, kept.receipt);
    return message;
  }
  return kept.error._tag === "MemoryConflictError" ? storedReply(job, base) : undefined;
}

/** The reply that the run has stored after all, e.g. where the store's answer got lost. */
async function storedReply<Ctx>(
  { options: { scope, conversationId } }: JobParts<Ctx>,
  base: ConversationBase,
): Promise<Message | undefined> {
  const read = await scope.settings.provider.readConversation(conversationId, { messages: { limit: 1 } });
  if (!read.success || read.data.incarnation !== base.incarnation) return undefined;
  const last: RichMessage | undefined = read.data.conversation?.messages.at(-1);
  const isReply = last?.role === "assistant" && (last.tool_calls ?? []).length === 0;
  return isReply && read.data.firstPosition >= base.position ? (last as Message) : undefined;
}

/** Ends the turn in the log. */
export async function endTurn<Ctx>(job: JobParts<Ctx>, ending: TurnEnd): Promise<JobResult> {
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
  return ended ? { kind: "ended", end: last } : leaseLost(job);
}

async function leaseLost<Ctx>({ lease }: JobParts<Ctx>): Promise<JobResult> {
  lease.close();
  return { kind: "elsewhere" };
}

/** Whether what an edit replaces is still there, as far as this process knows. A write of the metadata alone keeps the version. */
function isUnmadeEdit<Ctx>({ options, written, lease }: JobParts<Ctx>): boolean {
  const base = lease.base();
  if (options.request.dropLast === undefined || base === undefined) return false;
  return (written.version ?? base.version) === base.version;
}

/** The conversation's version, and the position after its last message. */
async function stateAtEnd<Ctx>(
  job: JobParts<Ctx>,
): Promise<{ readonly version: number | undefined; readonly to: number | undefined }> {
  const { written, lease, options } = job;
  const { scope, conversationId } = options;
  if (written.version !== undefined && written.to !== undefined && !isUnmadeEdit(job)) return written;
  const read = await scope.settings.provider.readConversation(conversationId, { messages: "none" });
  const base = lease.base();
  if (!read.success || read.data.incarnation !== base?.incarnation) {
    return { version: undefined, to: undefined };
  }
  const version = read.data.conversation?.metadata?.version;
  // An edit that was refused has added nothing, though messages follow its position.
  const isAsBefore = options.request.edit !== undefined && version === base.version;
  return { version, to: isAsBefore ? base.position : read.data.firstPosition };
}

const storesAtTheEnd = <Ctx>({ config: { memory } }: TurnSettings<Ctx>): boolean =>
  memory.durability === undefined ? memory.storeOnCompletion === true : memory.durability === "completed";

interface ServerWrite {
  readonly conversationId: string;
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata;
  readonly options: WriteOptions;
}

/** Appends for the server itself. Repeated under its key if it fails for a passing reason, for a few seconds. */
function appendRepeatedly(
  provider: VersionedMemoryProvider,
  { conversationId, messages, metadata, options }: ServerWrite,
): Promise<WriteResult> {
  return retryWithBackoff(
    () => provider.appendMessages(conversationId, [...messages], { ...metadata }, options),
    {
      maxElapsedMs: 5_000,
      // A wrapper that repeats calls by itself says how often it did.
      isTransientResult: (result) =>
        !result.success && result.error.retryable && result.error.attempts === undefined,
    },
  );
}

/** How a run's result ends its turn. */
export function turnEndOf(
  result: PromptResult<unknown>,
  { hasOutput, isStopped }: { readonly hasOutput: boolean; readonly isStopped: boolean },
): TurnEnd {
  const { outcome, usage, spent } = result;
  const common = {
    type: "turn_end",
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
    ...present({ spent }),
  } as const;
  switch (outcome.status) {
    case "completed": {
      const output = hasOutput ? jsonOf(outcome.output) : undefined;
      return { ...common, status: "completed", ...present({ output }) };
    }
    case "interrupted":
      return { ...common, status: "interrupted", interruptions: outcome.interruptions };
    case "error":
      return isStopped
        ? { ...common, status: "stopped" }
        : { ...common, status: "error", error: turnErrorOf(outcome.error) };
  }
}

/** A codec may make of a reply what can't be sent. */
function jsonOf(output: unknown): unknown {
  try {
    return JSON.stringify(output) === undefined ? undefined : output;
  } catch {
    return undefined;
  }
}

export const failedEnd = (error: TurnError): TurnEnd => ({ type: "turn_end", status: "error", error });

/** The turn's process is gone, or the conversation. */
export const LOST = {
  code: "Lost",
  message: "The turn was cut off, and no process could go on with it.",
  retryable: true,
} as const;

export const ERASED = {
  code: "MemoryError",
  message: "The conversation was erased.",
  retryable: false,
} as const;

export const FAULT = {
  code: "InternalError",
  message: "The server met a fault in its program.",
  retryable: false,
} as const;

/** A run's error as its readers get it. What a provider of a model or other code threw isn't in it: it may hold secrets. */
function turnErrorOf(error: JAFError): TurnError {
  return { code: error._tag, message: messageOf(error), retryable: JAFErrorHandler.isRetryable(error) };
}

function messageOf(error: JAFError): string {
  switch (error._tag) {
    case "ModelCallError": {
      const status = error.status === undefined ? "" : ` with status ${error.status}`;
      return `The model call failed${status}.`;
    }
    case "InternalError":
      return "The server met a fault in its program.";
    case "ToolCallError":
      return `The tool "${error.tool}" failed.`;
    case "DecodeError":
      return "The reply doesn't have the form that the agent expects.";
    default:
      return JAFErrorHandler.format(error);
  }
}
