import type { MemoryErrorUnion } from "../errors.ts";
import type { Message } from "../message.ts";
import type { MemoryProvider } from "../provider.ts";
import { createSuccess, type Result } from "../result.ts";
import { addEntry } from "./journal.ts";
import type { DivertedWrite, JournalEntry } from "./journal-entry.ts";
import {
  canSend,
  conversationIdOf,
  isValid,
  optionsOf,
  sendWrite,
  unsupported,
  type WriteRequest,
} from "./write-request.ts";

interface Diverting {
  readonly fallback: MemoryProvider;
  /** The incarnation that the primary last gave of the conversation. */
  readonly seen: string | undefined;
}

/** Whether the store may have done what it failed to answer. */
export const mayBeDone = (error: MemoryErrorUnion): boolean =>
  error._tag === "MemoryConnectionError" || error.retryable;

/** What the write is going to drop from the end of the fallback's conversation. */
async function droppedBy(
  { fallback }: Diverting,
  request: WriteRequest,
): Promise<Result<readonly Message[] | undefined>> {
  const dropLast = optionsOf(request)?.dropLast ?? 0;
  return dropLast > 0
    ? fallback.getRecentMessages(conversationIdOf(request), dropLast)
    : createSuccess(undefined);
}

async function toDiverted(diverting: Diverting, request: WriteRequest): Promise<Result<DivertedWrite>> {
  const dropped = await droppedBy(diverting, request);
  if (!dropped.success) return dropped;
  const { seen } = diverting;
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
 * conversation, then what came of it. So what a process that dies leaves behind says what has to be replayed.
 */
export async function divert(diverting: Diverting, request: WriteRequest): Promise<Result<void>> {
  const { fallback } = diverting;
  if (!canSend(fallback, request)) return unsupported(request.operation);
  if (!isValid(request)) return sendWrite(fallback, request); // It says what is wrong.
  const conversationId = conversationIdOf(request);
  const write = await toDiverted(diverting, request);
  if (!write.success) return write;
  const begun = await addEntry(fallback, conversationId, { kind: "begun", ...write.data });
  if (!begun.success) return begun;
  const sent = await sendWrite(fallback, request);
  if (!sent.success && mayBeDone(sent.error)) return sent;
  const outcome: JournalEntry = sent.success
    ? { kind: "done", ...write.data }
    : { kind: "refused", entry: write.data.entry };
  const noted = await addEntry(fallback, conversationId, outcome);
  return noted.success ? sent : noted;
}
