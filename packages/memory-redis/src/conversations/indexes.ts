import type { ParentConversation } from "@jaf/memory";
import type { Keys } from "../keys.ts";
import { list, number, type ReplicaWait, text } from "../lua.ts";
import type { ReadHeads } from "./head.ts";
import { CHILD_OFFSET_MS } from "./scores.ts";
import type { RunConversationScript } from "./scripts/index.ts";

/**
 * A conversation, and the indexes that a call changes. They are the index of the user `userId`, the index of each trace
 * in `traceIds`, and, unless `recent` is false, the list of all conversations, or for a child the list of its parent's
 * children.
 */
export interface IndexedConversation {
  readonly conversationId: string;
  readonly recent?: boolean;
  /** The id of the parent. Absent: the conversation isn't a child. */
  readonly childOf?: string | undefined;
  readonly userId?: string | undefined;
  readonly traceIds?: readonly string[];
}

export interface Reservation {
  readonly nowMs: number;
  /** The conversation's ttl in milliseconds. 0: no expiry. */
  readonly ttlMs: number;
  /** The key of the user's tombstone and its expected content. Absent: the tombstone isn't checked. */
  readonly user?: { readonly tombstone: string; readonly expected: string } | undefined;
}

export interface Registration {
  readonly nowMs: number;
  /** The owner that parent and child must have. */
  readonly userId: string | undefined;
  /** The ttl that the write sets, in milliseconds. 0: none. */
  readonly ownTtlMs: number;
  /** The ttl of new conversations in milliseconds. 0: none. The ttl of the parent takes precedence. */
  readonly ttlMs: number;
}

/** An index entry that a listing or a sweep has found. */
export interface FoundEntry {
  readonly index: string;
  readonly id: string;
  readonly score: number;
}

/**
 * Returns functions that change the indexes of a conversation, for a Cluster that may have them on other servers than
 * the conversation.
 */
export function createIndexes(run: RunConversationScript, keys: Keys, wait?: ReplicaWait) {
  // An entry is written before its conversation, and removed after the conversation was deleted. So a crash can leave
  // an entry without a conversation, but never a conversation without an entry.
  const indexesOf = ({
    conversationId,
    recent = true,
    childOf,
    userId,
    traceIds = [],
  }: IndexedConversation): readonly string[] => [
    ...(recent ? [keys.listOf(conversationId, childOf)] : []),
    ...(userId === undefined ? [] : [keys.userIndex(userId)]),
    ...traceIds.map(keys.traceIndex),
  ];

  /** Returns the score of a conversation in an index for a time. */
  const scoreIn = (index: string, { childOf, userId }: IndexedConversation, timeMs: number): number =>
    childOf !== undefined && userId !== undefined && index === keys.userIndex(userId)
      ? timeMs - CHILD_OFFSET_MS
      : timeMs;

  async function inAll(
    indexed: IndexedConversation,
    act: (index: string) => Promise<unknown>,
  ): Promise<void> {
    await Promise.all(indexesOf(indexed).map(act));
  }

  const remove = (index: string, conversationId: string, goneAtMs: number): Promise<unknown> =>
    run("removeIndexEntry", { keys: [index], args: [conversationId, goneAtMs, keys.importMarker(index)] });

  // A failed repair must not fail the read: a server that refuses writes can still answer reads.
  const ignoreFailure = (repair: Promise<unknown>): Promise<void> =>
    repair.then(
      () => {},
      () => {},
    );

  return {
    /**
     * Creates the index entries of a conversation that isn't written yet, and extends the ttl of the indexes. Returns
     * the content of the user's tombstone, or `""` if there is none or it isn't checked.
     */
    reserve: async (indexed: IndexedConversation, { nowMs, ttlMs, user }: Reservation): Promise<string> => {
      const { userId } = indexed;
      let found = "";
      await inAll(indexed, async (index) => {
        const args = [indexed.conversationId, scoreIn(index, indexed, nowMs), ttlMs];
        if (user === undefined || userId === undefined || index !== keys.userIndex(userId)) {
          await run("reserveIndexEntry", { keys: [index], args }, wait);
          return;
        }
        const call = { keys: [index, user.tombstone], args: [...args, user.expected] } as const;
        found = text(await run("reserveIndexEntry", call, wait));
      });
      return found;
    },

    /** Adds the id of a child to its parent before the child is created. See the script `registerChild`. */
    register: async (childId: string, parent: ParentConversation, registration: Registration) => {
      const { nowMs, userId = "", ownTtlMs, ttlMs } = registration;
      const { conversation, children } = keys.of(parent.conversationId);
      const args = [childId, nowMs, parent.incarnation, userId, ownTtlMs, ttlMs];
      const [status, ttl] = list(await run("registerChild", { keys: [conversation, children], args }, wait));
      return { status: text(status), ttlMs: number(ttl) };
    },

    /**
     * Extends the ttl of the indexes, so they outlive a conversation whose ttl is `ttlMs`. Must be called before the
     * conversation gets this ttl.
     */
    extend: (indexed: IndexedConversation, ttlMs: number) =>
      inAll(indexed, (index) => run("extendIndex", { keys: [index], args: [ttlMs] }, wait)),

    /**
     * Gives reserved entries their final score: the conversation's last activity. `importedAtMs` is the time of an
     * import.
     */
    confirm: (indexed: IndexedConversation, lastActivityMs: number, importedAtMs?: number) => {
      const { conversationId, childOf } = indexed;
      return inAll(indexed, (index) => {
        const score = scoreIn(index, indexed, lastActivityMs);
        const args = [conversationId, score, wait === undefined ? 0 : 1, childOf === undefined ? 0 : 1];
        const imported = importedAtMs === undefined ? [] : [keys.importMarker(index), importedAtMs];
        const parent = childOf === undefined ? undefined : keys.of(childOf);
        const ofParent = parent?.children === index ? [parent.conversation] : [];
        return run("confirmIndexEntry", { keys: [index, ...ofParent], args: [...args, ...imported] }, wait);
      });
    },

    removeAll: (indexed: IndexedConversation, goneAtMs: number) =>
      inAll(indexed, (index) => remove(index, indexed.conversationId, goneAtMs)),

    /** Repairs by readers. A failed repair doesn't reject. */
    repair: {
      /**
       * Removes the entry of a conversation that was found to be missing at `goneAtMs`. An entry with a later time
       * stays.
       */
      // The conversation may have been created since then.
      remove: ({ index, id }: Pick<FoundEntry, "index" | "id">, goneAtMs: number) =>
        ignoreFailure(remove(index, id, goneAtMs)),
      /** Corrects the wrong score of an entry. Does nothing if the entry no longer has this score. */
      correct: ({ index, id, score }: FoundEntry, lastActivityMs: number, seenAtMs: number) => {
        const args = [id, score, lastActivityMs, keys.importMarker(index), seenAtMs];
        return ignoreFailure(run("correctIndexEntry", { keys: [index], args }));
      },
    },
  };
}

export type Indexes = ReturnType<typeof createIndexes>;

/**
 * The chance that the creation of a conversation is followed by a check of index entries is one in `ONE_IN`. `SAMPLE`
 * is the number of entries to check.
 */
// On average, two entries are checked for each new conversation. So the share of stale entries, which are left by
// expired conversations, stays below a half.
const ONE_IN = 8;
const SAMPLE = 16;

export interface SweepOptions {
  readonly run: RunConversationScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly readHeads: ReadHeads;
}

/** Returns a function that removes a few index entries of expired conversations. */
export function createSweep({ run, keys, indexes, readHeads }: SweepOptions) {
  // Redis removes expired conversations, but not their index entries, and an application may never list conversations.
  async function sweepIndex(index: string): Promise<void> {
    const ids = list(await run("sampleIndex", { keys: [index], args: [SAMPLE] })).map(text);
    const found = await readHeads(ids, { counts: true });
    const gone = found.filter(({ head }) => head === undefined);
    await Promise.all(gone.map(({ id, seenAtMs }) => indexes.repair.remove({ index, id }, seenAtMs)));
  }

  /** Call this function after the creation of a conversation. Never rejects. */
  return async ({ conversationId, childOf, userId }: IndexedConversation): Promise<void> => {
    if (Math.random() * ONE_IN >= 1) return;
    const owned = userId === undefined ? [] : [keys.userIndex(userId)];
    await Promise.allSettled([keys.listOf(conversationId, childOf), ...owned].map(sweepIndex));
  };
}
