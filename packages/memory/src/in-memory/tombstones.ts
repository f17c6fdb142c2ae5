import type { ConversationWrite } from "../backend/backend.ts";
import { TOMBSTONE_SECONDS, type Tombstones, tombstoneKey } from "../incarnation.ts";

type TombstoneOwner = Pick<ConversationWrite, "conversationId" | "userId">;

export interface TombstoneStore {
  /** Makes a tombstone; replaces an earlier one of the same conversation or user. */
  readonly leave: (kind: "conversation" | "user", id: string) => void;
  readonly of: (owner: TombstoneOwner) => Tombstones;
  readonly clear: () => void;
}

/** Tombstones by the hash of what was erased. They expire in the order in which they were made. */
export function createTombstones(): TombstoneStore {
  const tombstones = new Map<string, { readonly id: string; readonly expiresAt: number }>();

  function removeExpired(now: number): void {
    for (const [key, { expiresAt }] of tombstones) {
      if (now < expiresAt) return;
      tombstones.delete(key);
    }
  }

  const idOf = (kind: "conversation" | "user", id: string): string | null => {
    const tombstone = tombstones.get(tombstoneKey(kind, id));
    return tombstone === undefined || Date.now() >= tombstone.expiresAt ? null : tombstone.id;
  };

  return {
    leave: (kind: "conversation" | "user", id: string): void => {
      const now = Date.now();
      const key = tombstoneKey(kind, id);
      removeExpired(now);
      // Removed first, so that the map stays in the order of expiry.
      tombstones.delete(key);
      tombstones.set(key, { id: crypto.randomUUID(), expiresAt: now + TOMBSTONE_SECONDS * 1_000 });
    },
    of: ({ conversationId, userId }: TombstoneOwner): Tombstones => ({
      conversation: idOf("conversation", conversationId),
      user: userId === undefined ? null : idOf("user", userId),
    }),
    clear: (): void => tombstones.clear(),
  };
}
