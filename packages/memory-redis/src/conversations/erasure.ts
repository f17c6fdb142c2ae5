import { TOMBSTONE_SECONDS, type Tombstones } from "@jaf/memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import type { Keys } from "../keys.ts";
import { list, number, type ReplicaWait, text } from "../lua.ts";
import { type Entry, type EveryEntry, isReserved } from "./index-scan.ts";
import type { Indexes } from "./indexes.ts";
import type { RunConversationScript } from "./scripts/index.ts";

export interface TombstoneOptions {
  readonly port: RedisPort;
  readonly run: RunConversationScript;
  readonly keys: Keys;
  /** Whether all tombstones are on one server. */
  readonly atomic: boolean;
  readonly deadlines: Deadlines;
  readonly wait?: ReplicaWait | undefined;
}

const toId = (reply: unknown): string | null => (reply == null ? null : text(reply));

/** What a deletion puts into a tombstone: its random id, and in how many milliseconds it expires. */
const newTombstone = (): readonly [id: string, expiresInMs: number] => [
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

export interface DeletionOptions {
  readonly run: RunConversationScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  /** Whether the indexes are on the same server as the conversation. */
  readonly atomic: boolean;
  readonly isCluster: boolean;
  readonly wait?: ReplicaWait | undefined;
}

/** Whose conversation alone is deleted. */
interface Owner {
  readonly userId: string;
  /** Where there is none, it may be about to be written, and finds a tombstone then. */
  readonly isAwaited: boolean;
}

/**
 * Deletes a conversation, where it is that user's if `only` is given; else it leaves a tombstone whatever it finds.
 * `deleted`: whether there was one.
 */
export function createDeletion({ run, keys, indexes, atomic, isCluster, wait }: DeletionOptions) {
  return async (conversationId: string, only?: Owner) => {
    const { userId = "", isAwaited = true } = only ?? {};
    const tombstone = keys.conversationTombstone(conversationId);
    const scriptKeys = keys.ofScript(conversationId, isCluster, tombstone);
    const args = [
      ...[conversationId, userId, atomic ? "atomic" : "ask", keys.prefix],
      ...[keys.recencyIndex(conversationId), tombstone, ...newTombstone(), isAwaited ? 1 : 0],
    ];
    const reply = list(await run("delete", { keys: scriptKeys, args }, wait));
    const [existed, time, owner, ...traceIds] = reply;
    const deleted = number(existed) === 1;
    const seenAtMs = number(time);
    if (deleted && !atomic) {
      const indexed = { conversationId, userId: text(owner) || undefined, traceIds: traceIds.map(text) };
      await indexes.removeAll(indexed, seenAtMs);
    }
    return { deleted, seenAtMs };
  };
}

/** Conversations deleted between two commands of other clients: Redis does all that a client has sent before it goes on. */
const DELETED_AT_ONCE = 20;

export interface ClearUserOptions {
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly tombstones: TombstoneStore;
  /** Whether the indexes are on the same server as the conversations. */
  readonly atomic: boolean;
  readonly deleteOne: ReturnType<typeof createDeletion>;
  readonly everyEntry: EveryEntry;
}

/** Deletes all conversations of a user, in small steps. */
export function createClearUser(options: ClearUserOptions) {
  const { keys, indexes, tombstones, atomic, deleteOne, everyEntry } = options;
  return async (userId: string): Promise<number> => {
    const index = keys.userIndex(userId);
    let cleared = 0;
    const clear = async (entry: Entry) => {
      const { id } = entry;
      const { deleted, seenAtMs } = await deleteOne(id, { userId, isAwaited: isReserved(entry) });
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
  };
}
