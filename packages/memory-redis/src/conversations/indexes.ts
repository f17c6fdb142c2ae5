import type { Keys } from "../keys.ts";
import { list, type ReplicaWait, text } from "../lua.ts";
import type { ReadHeads } from "./head.ts";
import type { RunConversationScript } from "./scripts/index.ts";

/**
 * A conversation, and the indexes that a call changes: the list of all conversations (unless `recent` is false), the
 * index of the user `userId`, and the index of each trace in `traceIds`.
 */
export interface IndexedConversation {
  readonly conversationId: string;
  readonly recent?: boolean;
  readonly userId?: string | undefined;
  readonly traceIds?: readonly string[];
}

export interface Reservation {
  readonly nowMs: number;
  /** The conversation's ttl in milliseconds. 0: no expiry. */
  readonly ttlMs: number;
  /**
   * If the user's tombstone is to be checked: the key of the tombstone, and its expected content. If the tombstone
   * exists with another content, no entry is created.
   */
  readonly user?: { readonly tombstone: string; readonly expected: string } | undefined;
}

/** An index entry that a reader has found. */
export interface FoundEntry {
  readonly index: string;
  readonly id: string;
  readonly score: number;
}

/**
 * Maintains the indexes if no script can reach both a conversation and its indexes, because a Cluster may have them on
 * different servers. An entry is written before its conversation, and removed after the conversation was deleted. So a
 * crash can leave an entry without a conversation, but never a conversation without an entry.
 */
export function createIndexes(run: RunConversationScript, keys: Keys, wait?: ReplicaWait) {
  const indexesOf = ({
    conversationId,
    recent = true,
    userId,
    traceIds = [],
  }: IndexedConversation): readonly string[] => [
    ...(recent ? [keys.recencyIndex(conversationId)] : []),
    ...(userId === undefined ? [] : [keys.userIndex(userId)]),
    ...traceIds.map(keys.traceIndex),
  ];

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
     * Creates the index entries before their conversation is written, and extends the ttl of the indexes. Returns the
     * content of the user's tombstone, or `""` in two cases: the user has no tombstone, or `user` is absent and no
     * tombstone is checked.
     */
    reserve: async (indexed: IndexedConversation, { nowMs, ttlMs, user }: Reservation): Promise<string> => {
      const { userId } = indexed;
      const args = [indexed.conversationId, nowMs, ttlMs];
      let found = "";
      await inAll(indexed, async (index) => {
        if (user === undefined || userId === undefined || index !== keys.userIndex(userId)) {
          await run("reserveIndexEntry", { keys: [index], args }, wait);
          return;
        }
        const call = { keys: [index, user.tombstone], args: [...args, user.expected] } as const;
        found = text(await run("reserveIndexEntry", call, wait));
      });
      return found;
    },

    /**
     * Extends the ttl of the indexes, so they outlive a conversation whose ttl is `ttlMs`. Call `extend` before the ttl
     * of the conversation is set.
     */
    extend: (indexed: IndexedConversation, ttlMs: number) =>
      inAll(indexed, (index) => run("extendIndex", { keys: [index], args: [ttlMs] }, wait)),

    /**
     * Gives reserved entries their final score: the conversation's last activity. For an import, whose last activity
     * may be long ago, `importedAtMs` is the time of the import.
     */
    confirm: (indexed: IndexedConversation, lastActivityMs: number, importedAtMs?: number) => {
      const args = [indexed.conversationId, lastActivityMs, wait === undefined ? 0 : 1];
      return inAll(indexed, (index) => {
        const imported = importedAtMs === undefined ? [] : [keys.importMarker(index), importedAtMs];
        return run("confirmIndexEntry", { keys: [index], args: [...args, ...imported] }, wait);
      });
    },

    removeAll: (indexed: IndexedConversation, goneAtMs: number) =>
      inAll(indexed, (index) => remove(index, indexed.conversationId, goneAtMs)),

    /** Repairs that readers make. A failed repair doesn't reject. */
    repair: {
      /**
       * Removes the entry of a missing conversation. At `goneAtMs`, the caller found that the conversation doesn't
       * exist. An entry with a time after `goneAtMs` stays, because the conversation may have been created since then.
       */
      remove: ({ index, id }: Pick<FoundEntry, "index" | "id">, goneAtMs: number) =>
        ignoreFailure(remove(index, id, goneAtMs)),
      /** Corrects a wrong score of an entry. Does nothing if the score has changed since the caller read it. */
      correct: ({ index, id, score }: FoundEntry, lastActivityMs: number, seenAtMs: number) => {
        const args = [id, score, lastActivityMs, keys.importMarker(index), seenAtMs];
        return ignoreFailure(run("correctIndexEntry", { keys: [index], args }));
      },
    },
  };
}

export type Indexes = ReturnType<typeof createIndexes>;

/**
 * After one in 8 creations of a conversation, 16 random entries of an index are checked: on average two entries for
 * each new conversation. If half of all entries are stale (left by an expired conversation), this removes one entry for
 * each entry that is added. So the share of stale entries stays below a half.
 */
const ONE_IN = 8;
const SAMPLE = 16;

export interface SweepOptions {
  readonly run: RunConversationScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly readHeads: ReadHeads;
}

/**
 * Returns a function to call after the creation of a conversation: it removes a few stale index entries. Redis removes
 * expired conversations, but not their index entries. Listings also remove the stale entries that they find, but an
 * application may never list conversations.
 */
export function createSweep({ run, keys, indexes, readHeads }: SweepOptions) {
  async function sweepIndex(index: string): Promise<void> {
    const ids = list(await run("sampleIndex", { keys: [index], args: [SAMPLE] })).map(text);
    const found = await readHeads(ids, { counts: true });
    const gone = found.filter(({ head }) => head === undefined);
    await Promise.all(gone.map(({ id, seenAtMs }) => indexes.repair.remove({ index, id }, seenAtMs)));
  }

  /** Never rejects, because the caller has already written the conversation. */
  return async (conversationId: string, userId: string | undefined): Promise<void> => {
    if (Math.random() * ONE_IN >= 1) return;
    const owned = userId === undefined ? [] : [keys.userIndex(userId)];
    await Promise.allSettled([keys.recencyIndex(conversationId), ...owned].map(sweepIndex));
  };
}
