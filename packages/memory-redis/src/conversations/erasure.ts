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
  /** Whether all tombstones are on one server, so one command can read two of them. */
  readonly atomic: boolean;
  readonly deadlines: Deadlines;
  readonly wait?: ReplicaWait | undefined;
}

const toId = (reply: unknown): string | null => (reply == null ? null : text(reply));

/** Returns the content of a new tombstone (a random id) and the lifetime of the tombstone in milliseconds. */
const newTombstone = (): readonly [id: string, expiresInMs: number] => [
  crypto.randomUUID(),
  TOMBSTONE_SECONDS * 1_000,
];

/** Returns functions that read and create tombstones. */
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
  /** Whether each conversation is on the same server as its indexes. */
  readonly atomic: boolean;
  readonly isCluster: boolean;
  readonly wait?: ReplicaWait | undefined;
}

/** Limits a deletion to the conversation of one user. */
interface Owner {
  readonly userId: string;
  /**
   * Whether another process may be about to create the conversation. If true, a missing conversation gets a tombstone.
   */
  readonly isAwaited: boolean;
}

/**
 * Returns a function that deletes a conversation and leaves a tombstone. Without `only`, the owner doesn't matter. The
 * function returns whether a conversation was deleted (`deleted`), and the server's time in milliseconds since 1970
 * (`seenAtMs`).
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

/** How many conversations are deleted at the same time. */
// Small, because Redis runs all commands that one client has sent before those of other clients.
const DELETED_AT_ONCE = 20;

export interface ClearUserOptions {
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly tombstones: TombstoneStore;
  /** Whether each conversation is on the same server as its indexes. */
  readonly atomic: boolean;
  readonly deleteOne: ReturnType<typeof createDeletion>;
  readonly everyEntry: EveryEntry;
}

/** Returns a function that deletes all conversations of a user, and returns their number. */
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
      // A reserved entry has a score in the future. Once its conversation is written, it gets a lower score, which may
      // be one that was already scanned.
    } while (!atomic && seen.size > before);
    return cleared;
  };
}
