import type { MemoryProvider } from "../provider.ts";
import { createSuccess, type Result } from "../result.ts";
import type { Diversions } from "./diversions.ts";
import { deleteJournal, eraseUserFromJournal, findDiverted } from "./journal.ts";
import { isReservedId } from "./reserved-ids.ts";
import { dropSetAsideOf } from "./set-aside.ts";

/** All that the fallback holds of a conversation; whether that was anything. */
export async function deleteDiverted(
  fallback: MemoryProvider,
  conversationId: string,
): Promise<Result<boolean>> {
  const deleted = await fallback.deleteConversation(conversationId);
  if (!deleted.success) return deleted;
  const forgotten = await deleteJournal(fallback, conversationId);
  if (!forgotten.success) return forgotten;
  const dropped = await dropSetAsideOf(fallback, conversationId);
  return dropped.success ? createSuccess(deleted.data) : dropped;
}

interface Clearing {
  readonly fallback: MemoryProvider;
  readonly diversions: Diversions;
}

/** All that the fallback holds of a user; how many conversations that were. Call it alone: a replay would set it aside. */
export async function clearDiverted(
  { fallback, diversions }: Clearing,
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
    diversions.remove(id);
  }
  const diverted = await findDiverted(fallback);
  if (!diverted.success) return diverted;
  for (const id of diverted.data) {
    const erased = await eraseUserFromJournal(fallback, id, userId);
    if (!erased.success) return erased;
  }
  return createSuccess(Math.max(0, cleared.data - ids.filter(isReservedId).length));
}
