import type { MemoryStats } from "@jaf/memory";
import type { ReadHeads } from "./head-reader.ts";
import { createScan, type Entry, isReserved } from "./index-scan.ts";
import type { Indexes } from "./indexes.ts";
import type { Keys } from "./keys.ts";
import type { RunScript } from "./scripts/runner.ts";
import type { TombstoneStore } from "./tombstones.ts";

/** Entries of an index fetched at once. */
const PAGE = 500;

/** Conversations deleted between two turns of other clients: Redis does all that a client has sent before it goes on. */
const DELETED_AT_ONCE = 20;

export interface UserDataOptions {
  readonly run: RunScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly tombstones: TombstoneStore;
  readonly readHeads: ReadHeads;
  /** Whether the indexes are on the same server as the conversations. */
  readonly atomic: boolean;
  /**
   * Whether there was one, and it was of this user. `isAwaited`: where there is none, it may be about to be written, and
   * finds a tombstone then.
   */
  readonly deleteOwned: (
    conversationId: string,
    owner: { readonly userId: string; readonly isAwaited: boolean },
  ) => Promise<{ deleted: boolean; seenAtMs: number }>;
}

/** Operations on all conversations of one user, or of all users, in small steps. */
export function createUserData(options: UserDataOptions) {
  const { run, keys, indexes, tombstones, readHeads, atomic, deleteOwned } = options;

  /** Oldest first: what is written meanwhile moves to the end, and is met there instead of being missed. */
  async function* everyEntry(index: string, seen = new Set<string>()): AsyncGenerator<readonly Entry[]> {
    const next = createScan(run, index, { order: "oldest" });
    for (;;) {
      const entries = await next(PAGE);
      if (entries.length === 0) return;
      const fresh = entries.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      yield fresh;
    }
  }

  async function stats(userId?: string): Promise<MemoryStats> {
    let [conversations, messages] = [0, 0];
    let [oldest, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const gone: Promise<void>[] = [];
    for (const index of userId === undefined ? keys.recencyIndexes : [keys.userIndex(userId)]) {
      for await (const entries of everyEntry(index)) {
        const ids = entries.map(({ id }) => id);
        for (const { id, head, seenAtMs } of await readHeads(ids, { counts: true })) {
          if (head === undefined || (userId !== undefined && head.userId !== userId)) {
            gone.push(indexes.repair.remove({ index, id }, seenAtMs));
            continue;
          }
          conversations += 1;
          messages += head.totalMessages;
          oldest = Math.min(oldest, head.createdAt.getTime());
          newest = Math.max(newest, head.createdAt.getTime());
        }
      }
    }
    await Promise.all(gone);
    return {
      totalConversations: conversations,
      totalMessages: messages,
      ...(conversations === 0
        ? {}
        : { oldestConversation: new Date(oldest), newestConversation: new Date(newest) }),
    };
  }

  async function clearUser(userId: string): Promise<number> {
    const index = keys.userIndex(userId);
    let cleared = 0;
    const clear = async (entry: Entry) => {
      const { id } = entry;
      const { deleted, seenAtMs } = await deleteOwned(id, { userId, isAwaited: isReserved(entry) });
      if (deleted) cleared += 1;
      else await indexes.repair.remove({ index, id }, seenAtMs);
    };
    await tombstones.createForUser(userId);
    const seen = new Set<string>();
    let before: number;
    do {
      before = seen.size;
      for await (const entries of everyEntry(index, seen)) {
        for (let from = 0; from < entries.length; from += DELETED_AT_ONCE) {
          await Promise.all(entries.slice(from, from + DELETED_AT_ONCE).map(clear));
        }
      }
      // A reserved entry has a score in the future, and gets a lower one once its conversation is written: maybe one that was scanned already.
    } while (!atomic && seen.size > before);
    return cleared;
  }

  return { stats, clearUser };
}
