import type { ConversationWrite } from "../backend/backend.ts";
import { TOMBSTONE_SECONDS, type Tombstones, tombstoneKey } from "../incarnation.ts";

type Who = Pick<ConversationWrite, "conversationId" | "userId">;

export interface TombstoneStore {
  /** What was there before under the same name is replaced. */
  readonly leave: (kind: "conversation" | "user", id: string) => void;
  readonly of: (who: Who) => Tombstones;
  readonly clear: () => void;
}

/** Tombstones by the hash of what was erased. They expire in the order in which they were made. */
export function createTombstones(): TombstoneStore {
  const made = new Map<string, { readonly id: string; readonly expiresAt: number }>();

  function removeExpired(now: number): void {
    for (const [key, { expiresAt }] of made) {
      if (now < expiresAt) return;
      made.delete(key);
    }
  }

  const idOf = (kind: "conversation" | "user", id: string): string | null => {
    const tombstone = made.get(tombstoneKey(kind, id));
    return tombstone === undefined || Date.now() >= tombstone.expiresAt ? null : tombstone.id;
  };

  return {
    leave: (kind: "conversation" | "user", id: string): void => {
      const now = Date.now();
      const key = tombstoneKey(kind, id);
      removeExpired(now);
      // Taken out first, so that they stand in the order of their times.
      made.delete(key);
      made.set(key, { id: crypto.randomUUID(), expiresAt: now + TOMBSTONE_SECONDS * 1_000 });
    },
    of: ({ conversationId, userId }: Who): Tombstones => ({
      conversation: idOf("conversation", conversationId),
      user: userId === undefined ? null : idOf("user", userId),
    }),
    clear: (): void => made.clear(),
  };
}
