import type { MemoryProvider } from "../provider.ts";
import { createSuccess, type Result } from "../result.ts";
import { dropDeadLettersOf } from "./dead-letters.ts";
import { deleteJournal, eraseUserFromJournal, findJournaled } from "./fallback-journal.ts";
import type { PendingReplays } from "./pending-replays.ts";
import { isReservedId } from "./reserved-ids.ts";

/** Deletes all that the fallback holds of a conversation. Returns whether the conversation was there. */
export async function deleteFromFallback(
  fallback: MemoryProvider,
  conversationId: string,
): Promise<Result<boolean>> {
  const deleted = await fallback.deleteConversation(conversationId);
  if (!deleted.success) return deleted;
  const forgotten = await deleteJournal(fallback, conversationId);
  if (!forgotten.success) return forgotten;
  const dropped = await dropDeadLettersOf(fallback, conversationId);
  return dropped.success ? createSuccess(deleted.data) : dropped;
}

interface Clearing {
  readonly fallback: MemoryProvider;
  readonly pendingReplays: PendingReplays;
}

/**
 * Deletes all that the fallback holds of a user. Returns the number of conversations. Nothing may be replayed meanwhile: a
 * replay would make dead letters of it.
 */
export async function clearUserInFallback(
  { fallback, pendingReplays }: Clearing,
  userId: string,
): Promise<Result<number>> {
  const owned = await fallback.findConversations({ userId, includeMessages: false });
  if (!owned.success) return owned;
  const cleared = await fallback.clearUserConversations(userId);
  if (!cleared.success) return cleared;
  const ids = owned.data.map(({ conversationId }) => conversationId);
  for (const id of ids.filter((one) => !isReservedId(one))) {
    const deleted = await deleteJournal(fallback, id);
    if (!deleted.success) return deleted;
    pendingReplays.remove(id);
  }
  const journaled = await findJournaled(fallback);
  if (!journaled.success) return journaled;
  for (const id of journaled.data) {
    const erased = await eraseUserFromJournal(fallback, id, userId);
    if (!erased.success) return erased;
  }
  return createSuccess(Math.max(0, cleared.data - ids.filter(isReservedId).length));
}
