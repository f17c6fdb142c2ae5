import { TOMBSTONE_SECONDS, type Tombstones } from "@jaf/memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import { type Keys, unescapeId } from "../keys.ts";
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

/** Limits a deletion. */
interface Only {
  /** Only a conversation of this user. */
  readonly userId?: string;
  /** Only a child of this conversation. */
  readonly childOf?: string;
  /**
   * Whether another process may be about to create the conversation. If true, a missing conversation gets a tombstone.
   */
  readonly isAwaited: boolean;
}

/** The first value of the reply if the conversation has children that must be deleted first. */
const HAS_CHILDREN = 2;

/** How many conversations are deleted at the same time. */
// Small, because Redis runs all commands that one client has sent before those of other clients.
const DELETED_AT_ONCE = 20;

async function inPortions<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += DELETED_AT_ONCE) {
    await Promise.all(items.slice(from, from + DELETED_AT_ONCE).map(act));
  }
}

interface Deletion {
  /** Whether a conversation was deleted. */
  readonly deleted: boolean;
  /** Whether the deleted conversation was a child. */
  readonly isChild: boolean;
  /** The server's time, in milliseconds since 1970. */
  readonly seenAtMs: number;
}

/**
 * Returns a function that deletes a conversation after its descendants, each with a tombstone. Without `only`, the owner
 * doesn't matter.
 */
export function createDeletion({ run, keys, indexes, atomic, isCluster, wait }: DeletionOptions) {
  /** Runs the script once. `handled` are alternating ids and scores of children that were deleted. */
  async function attempt(
    conversationId: string,
    { userId = "", childOf, isAwaited }: Only,
    handled: readonly string[],
  ) {
    const tombstone = keys.conversationTombstone(conversationId);
    const { children } = keys.of(conversationId);
    const args = [
      ...[conversationId, userId, atomic ? "atomic" : "ask", keys.prefix],
      ...[keys.recencyIndex(conversationId), tombstone, ...newTombstone(), isAwaited ? 1 : 0],
      ...[childOf === undefined ? "" : keys.escapeId(childOf), ...handled],
    ];
    const scriptKeys = keys.ofScript(conversationId, isCluster, [tombstone, children]);
    const [outcome, time, owner, parent, ...rest] = list(
      await run("delete", { keys: scriptKeys, args }, wait),
    );
    return {
      outcome: number(outcome),
      seenAtMs: number(time),
      userId: text(owner) || undefined,
      childOf: unescapeId(text(parent)) || undefined,
      rest: rest.map(text),
    };
  }

  // Parents that expired and were created again as children may form a circle, so `within` has the ids on the way here.
  return async function deleteOne(
    conversationId: string,
    only: Only = { isAwaited: true },
    within: ReadonlySet<string> = new Set(),
  ): Promise<Deletion> {
    const path = new Set([...within, conversationId]);
    let reply = await attempt(conversationId, only, []);
    while (reply.outcome === HAS_CHILDREN) {
      const { rest } = reply;
      const ids = rest.filter((id, at) => at % 2 === 0 && !path.has(id));
      const child = { childOf: conversationId, isAwaited: !atomic };
      await inPortions(ids, (id) => deleteOne(id, child, path));
      reply = await attempt(conversationId, only, rest);
    }
    const { outcome, seenAtMs, userId, childOf, rest: traceIds } = reply;
    const deleted = outcome === 1;
    if (deleted && !atomic) await indexes.removeAll({ conversationId, userId, childOf, traceIds }, seenAtMs);
    return { deleted, isChild: childOf !== undefined, seenAtMs };
  };
}

export interface ClearUserOptions {
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly tombstones: TombstoneStore;
  /** Whether each conversation is on the same server as its indexes. */
  readonly atomic: boolean;
  readonly deleteOne: ReturnType<typeof createDeletion>;
  readonly everyEntry: EveryEntry;
}

/**
 * Returns a function that deletes all conversations of a user with their descendants, and all children of the user whose
 * parents have expired. Returns the number of conversations that aren't children.
 */
export function createClearUser(options: ClearUserOptions) {
  const { keys, indexes, tombstones, atomic, deleteOne, everyEntry } = options;
  return async (userId: string): Promise<number> => {
    const index = keys.userIndex(userId);
    let cleared = 0;
    const clear = async (entry: Entry) => {
      const { id } = entry;
      const { deleted, isChild, seenAtMs } = await deleteOne(id, { userId, isAwaited: isReserved(entry) });
      if (deleted) cleared += isChild ? 0 : 1;
      else await indexes.repair.remove({ index, id }, seenAtMs);
    };
    await tombstones.createForUser(userId);
    const seen = new Set<string>();
    let before: number;
    do {
      before = seen.size;
      for await (const entries of everyEntry(index, { seen })) await inPortions(entries, clear);
      // A reserved entry has a score in the future. Once its conversation is written, it gets a lower score, which may
      // be one that was already scanned.
    } while (!atomic && seen.size > before);
    return cleared;
  };
}
