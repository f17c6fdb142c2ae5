import { createMemoryStorageError } from "../errors.ts";
import type { ConversationMemory, MemoryProvider } from "../provider.ts";
import { createFailure, createSuccess, type Result } from "../result.ts";
import { decodeEntry, encodeEntry, type FallbackWrite, type JournalEntry } from "./journal-entry.ts";
import { isReservedId, JOURNAL_TRACE, journalId } from "./reserved-ids.ts";

/** Ten years: a journal must not expire before it is replayed, whatever an emptied one was given. */
const KEPT_SECONDS = 10 * 365 * 24 * 60 * 60;
/** Somebody may be about to write to a journal that is emptied: it isn't deleted, and expires. */
const EMPTIED_SECONDS = 24 * 60 * 60;

/** What was written to the fallback in place of the primary, of one conversation. */
export interface Journal {
  /** What the fallback has taken or may have taken, in order, each key once. */
  readonly writes: readonly JournaledWrite[];
  /** Those that an interrupted replay has not dealt with begin here. */
  readonly from: number;
  /** To empty the journal only if nothing was added; absent where the fallback counts none. */
  readonly version?: number;
}

export interface JournaledWrite extends FallbackWrite {
  /** Whether the fallback has taken it; else its process died before it said so. */
  readonly isDone: boolean;
}

const OPTIONS = { createIfMissing: "unowned", ttlSeconds: KEPT_SECONDS } as const;

/** Adds an entry. Throws for a write that is not valid. */
export function addEntry(
  fallback: MemoryProvider,
  conversationId: string,
  entry: JournalEntry,
): Promise<Result<void>> {
  const metadata = { conversationId, traceId: JOURNAL_TRACE };
  return fallback.appendMessages(journalId(conversationId), [encodeEntry(entry)], metadata, OPTIONS);
}

function toJournal({ messages, metadata }: ConversationMemory): Result<Journal> {
  const entries: JournalEntry[] = [];
  for (const message of messages) {
    const entry = decodeEntry(message);
    if (entry === undefined) {
      const reason = "a journal of fallback writes was changed by something else";
      return createFailure(
        createMemoryStorageError("replayFallbackWrites", reason, { provider: "fallback" }),
      );
    }
    entries.push(entry);
  }
  const refused = new Set(entries.flatMap(({ kind, entry }) => (kind === "refused" ? [entry] : [])));
  const writes = new Map<string, JournaledWrite>();
  for (const entry of entries) {
    if (entry.kind === "refused" || refused.has(entry.entry)) continue;
    const { kind, ...write } = entry;
    const known = writes.get(write.key);
    // The first that was done counts, in the place of the first attempt.
    if (known?.isDone !== true) writes.set(write.key, { ...write, isDone: kind === "done" });
  }
  const all = [...writes.values()];
  return createSuccess({
    writes: all,
    from: all.findIndex(({ entry }) => entry === metadata?.["replayed"]) + 1,
    ...(metadata?.version === undefined ? {} : { version: metadata.version }),
  });
}

/** `null` if there are no fallback writes to replay. */
export async function readJournal(
  fallback: MemoryProvider,
  conversationId: string,
): Promise<Result<Journal | null>> {
  const found = await fallback.getConversation(journalId(conversationId));
  if (!found.success) return found;
  return found.data === null || found.data.messages.length === 0
    ? createSuccess(null)
    : toJournal(found.data);
}

/** Records how far a replay has come, so that the next one sends no write whose idempotency key the primary no longer keeps. */
export async function recordReplayed(
  fallback: MemoryProvider,
  conversationId: string,
  { entry: replayed }: FallbackWrite,
): Promise<Result<void>> {
  const options = { ttlSeconds: KEPT_SECONDS };
  const recorded = await fallback.appendMessages(journalId(conversationId), [], { replayed }, options);
  // Another process has deleted it: there is nothing to go on with.
  return recorded.success || recorded.error._tag !== "MemoryNotFoundError"
    ? recorded
    : createSuccess(undefined);
}

/** Whether it is empty now; `false`: something was added since it was read. */
export async function emptyJournal(
  fallback: MemoryProvider,
  conversationId: string,
  { version }: Journal,
): Promise<Result<boolean>> {
  if (version === undefined) return fallback.deleteConversation(journalId(conversationId));
  const metadata = { conversationId, traceId: JOURNAL_TRACE };
  const options = { expectedVersion: version, ttlSeconds: EMPTIED_SECONDS };
  const emptied = await fallback.storeMessages(journalId(conversationId), [], metadata, options);
  if (emptied.success) return createSuccess(true);
  return emptied.error._tag === "MemoryConflictError" ? createSuccess(false) : emptied;
}

export const deleteJournal = (fallback: MemoryProvider, conversationId: string) =>
  fallback.deleteConversation(journalId(conversationId));

/** The conversations that have writes in a journal, those of every process. */
export async function findJournaled(fallback: MemoryProvider): Promise<Result<readonly string[]>> {
  const found = await fallback.findConversations({ traceId: JOURNAL_TRACE, includeMessages: false });
  if (!found.success) return found;
  const ids = found.data.flatMap(({ conversationId, metadata }): string[] => {
    const id: unknown = metadata?.["conversationId"];
    // The trace of a caller may have the same name.
    return isReservedId(conversationId) && typeof id === "string" && metadata?.totalMessages !== 0
      ? [id]
      : [];
  });
  return createSuccess(ids);
}

/** Rewrites a journal without the writes of a user; deletes it if no other are left. */
export async function eraseUserFromJournal(
  fallback: MemoryProvider,
  conversationId: string,
  userId: string,
): Promise<Result<void>> {
  for (;;) {
    const read = await readJournal(fallback, conversationId);
    if (!read.success) return read;
    const journal = read.data;
    if (journal === null) return createSuccess(undefined);
    const kept = journal.writes.filter(({ request }) => userIdOf(request) !== userId);
    if (kept.length === journal.writes.length) return createSuccess(undefined);
    if (kept.length === 0) {
      const deleted = await deleteJournal(fallback, conversationId);
      return deleted.success ? createSuccess(undefined) : deleted;
    }
    const rewritten = await rewrite(fallback, conversationId, { ...journal, writes: kept });
    if (!rewritten.success || rewritten.data) return rewritten.success ? createSuccess(undefined) : rewritten;
  }
}

async function rewrite(
  fallback: MemoryProvider,
  conversationId: string,
  { writes, version }: Journal,
): Promise<Result<boolean>> {
  const messages = writes.map(({ isDone, ...write }) =>
    encodeEntry({ kind: isDone ? "done" : "begun", ...write }),
  );
  const options = {
    ttlSeconds: KEPT_SECONDS,
    ...(version === undefined ? {} : { expectedVersion: version }),
  };
  const metadata = { conversationId, traceId: JOURNAL_TRACE };
  const stored = await fallback.storeMessages(journalId(conversationId), messages, metadata, options);
  if (stored.success) return createSuccess(true);
  return stored.error._tag === "MemoryConflictError" ? createSuccess(false) : stored;
}

/** Whom a write names as the owner. */
export const userIdOf = ({ operation, args }: FallbackWrite["request"]): string | undefined =>
  operation === "importConversation" ? args[0].userId : args[2]?.userId;
