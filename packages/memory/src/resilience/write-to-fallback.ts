import type { MemoryErrorUnion } from "../errors.ts";
import type { Message } from "../message.ts";
import type { MemoryProvider } from "../provider.ts";
import { createSuccess, type Result } from "../result.ts";
import { addEntry } from "./fallback-journal.ts";
import type { FallbackWrite, JournalEntry } from "./journal-entry.ts";
import {
  canSend,
  conversationIdOf,
  isValid,
  optionsOf,
  sendWrite,
  unsupported,
  type WriteRequest,
} from "./write-request.ts";

interface FallbackTarget {
  readonly fallback: MemoryProvider;
  /** The incarnation that the primary last gave of the conversation. */
  readonly seen: string | undefined;
}

/** Whether the store may have done the write although it returned an error. */
export const mayBeDone = (error: MemoryErrorUnion): boolean =>
  error._tag === "MemoryConnectionError" || error.retryable;

/** The messages that the write is going to drop from the end of the fallback's conversation. */
async function droppedBy(
  { fallback }: FallbackTarget,
  request: WriteRequest,
): Promise<Result<readonly Message[] | undefined>> {
  const dropLast = optionsOf(request)?.dropLast ?? 0;
  return dropLast > 0
    ? fallback.getRecentMessages(conversationIdOf(request), dropLast)
    : createSuccess(undefined);
}

async function toFallbackWrite(
  target: FallbackTarget,
  request: WriteRequest,
): Promise<Result<FallbackWrite>> {
  const dropped = await droppedBy(target, request);
  if (!dropped.success) return dropped;
  const { seen } = target;
  return createSuccess({
    entry: crypto.randomUUID(),
    key: optionsOf(request)?.idempotencyKey ?? "",
    request,
    ...(seen === undefined ? {} : { seen }),
    ...(dropped.data === undefined ? {} : { dropped: dropped.data }),
  });
}

/**
 * Writes to the fallback: first to the journal, so that nothing that the fallback shows is missing there, then to the
 * conversation, then the outcome to the journal. So the journal of a process that crashes says what has to be replayed.
 */
export async function writeToFallback(target: FallbackTarget, request: WriteRequest): Promise<Result<void>> {
  const { fallback } = target;
  if (!canSend(fallback, request)) return unsupported(request.operation);
  if (!isValid(request)) return sendWrite(fallback, request); // It says what is wrong.
  const conversationId = conversationIdOf(request);
  const write = await toFallbackWrite(target, request);
  if (!write.success) return write;
  const begun = await addEntry(fallback, conversationId, { kind: "begun", ...write.data });
  if (!begun.success) return begun;
  const sent = await sendWrite(fallback, request);
  if (!sent.success && mayBeDone(sent.error)) return sent;
  const outcome: JournalEntry = sent.success
    ? { kind: "done", ...write.data }
    : { kind: "refused", entry: write.data.entry };
  const recorded = await addEntry(fallback, conversationId, outcome);
  return recorded.success ? sent : recorded;
}
