import { type Tombstones, TOMBSTONE_SECONDS } from "@jaf/memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import { list, text, type ReadHeads } from "./head.ts";
import type { Keys } from "../keys.ts";
import type { ReplicaWait, RunScript } from "../lua.ts";
import type { MemoryStats } from "@jaf/memory";
import { createScan, type Entry, isReserved } from "./index-scan.ts";
import type { Indexes } from "./indexes.ts";

export interface TombstoneOptions {
  readonly port: RedisPort;
  readonly run: RunScript;
  readonly keys: Keys;
  /** Whether all tombstones are on one server. */
  readonly atomic: boolean;
  readonly deadlines: Deadlines;
  readonly wait?: ReplicaWait | undefined;
}

const toId = (reply: unknown): string | null => (reply == null ? null : text(reply));

/** What a deletion puts into a tombstone: its random id, and in how many milliseconds it expires. */
export const newTombstone = (): readonly [id: string, expiresInMs: number] => [
  crypto.randomUUID(),
  TOMBSTONE_SECONDS * 1_000,
];

/** Tombstones, which erasures create: see the scripts `write`, `delete` and `reserveIndexEntry` for how writes find them. */
export function createTombstones({ port, run, keys, atomic, deadlines, wait }: TombstoneOptions) {
  async function get(key: string): Promise<string | null> {
    return toId(await deadlines(port.send(["GET", key], key)));
  }

  const ofUser = (userId: string): Promise<string | null> => get(keys.userTombstone(userId));

  return {
    ofUser,

    read: async (conversationId: string, userId: string | undefined): Promise<Tombstones> => {
      const key = keys.conversationTombstone(conversationId);
      if (userId === undefined) return { conversation: await get(key), user: null };
      if (!atomic) {
        const [conversation, user] = await Promise.all([get(key), ofUser(userId)]);
        return { conversation, user };
      }
      const both = ["MGET", key, keys.userTombstone(userId)];
      const [conversation, user] = list(await deadlines(port.send(both, key)));
      return { conversation: toId(conversation), user: toId(user) };
    },

    createForUser: (userId: string): Promise<unknown> =>
      run("tombstone", { keys: [keys.userTombstone(userId)], args: newTombstone() }, wait),
  };
}

export type TombstoneStore = ReturnType<typeof createTombstones>;


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
