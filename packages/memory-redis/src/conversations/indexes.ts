import type { Keys } from "../keys.ts";
import { list, type ReplicaWait, text } from "../lua.ts";
import type { ReadHeads } from "./head.ts";
import type { RunConversationScript } from "./scripts/index.ts";

/** A conversation and its indexes: the list of all (unless `recent` is false), its owner's and those of its traces. */
export interface IndexedConversation {
  readonly conversationId: string;
  readonly recent?: boolean;
  readonly userId?: string | undefined;
  readonly traceIds?: readonly string[];
}

export interface Reservation {
  readonly nowMs: number;
  /** 0 means no expiry. */
  readonly ttlMs: number;
  /** The key of the user's tombstone, if it is checked, and the only content with which the entry is created. */
  readonly user?: { readonly tombstone: string; readonly expected: string } | undefined;
}

/** An entry that a reader has found. */
export interface FoundEntry {
  readonly index: string;
  readonly id: string;
  readonly score: number;
}

/**
 * Maintains indexes that no script can reach together with the conversation, since a Cluster may have them on another
 * server. An entry is written before its conversation, and removed after its deletion. So a crash can leave a
 * superfluous entry, but never a missing one.
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
     * Creates entries before a conversation is written, and extends the ttl of the indexes. Returns the content of the
     * user's tombstone, or `""`.
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

    /** Extends the ttl of the indexes before a conversation in them gets that ttl. */
    extend: (indexed: IndexedConversation, ttlMs: number) =>
      inAll(indexed, (index) => run("extendIndex", { keys: [index], args: [ttlMs] }, wait)),

    /**
     * Gives reserved entries the score of the last activity. `importedAtMs` is for an import, with activity possibly
     * long ago.
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

    /** Repairs by readers. They never fail. */
    repair: {
      /** Removes the entry of a conversation that didn't exist at `goneAtMs`. */
      remove: ({ index, id }: Pick<FoundEntry, "index" | "id">, goneAtMs: number) =>
        ignoreFailure(remove(index, id, goneAtMs)),
      /** Corrects a wrong score, unless it has changed since. */
      correct: ({ index, id, score }: FoundEntry, lastActivityMs: number, seenAtMs: number) => {
        const args = [id, score, lastActivityMs, keys.importMarker(index), seenAtMs];
        return ignoreFailure(run("correctIndexEntry", { keys: [index], args }));
      },
    },
  };
}

export type Indexes = ReturnType<typeof createIndexes>;

/**
 * One in 8 new conversations checks 16 entries. These are two entries per conversation, which keeps at most half of all
 * entries stale.
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
 * Redis removes expired conversations, but not their index entries. Readers remove the stale entries that they find.
 * New conversations remove a few, too, in case there are no readers.
 */
export function createSweep({ run, keys, indexes, readHeads }: SweepOptions) {
  async function sweepIndex(index: string): Promise<void> {
    const ids = list(await run("sampleIndex", { keys: [index], args: [SAMPLE] })).map(text);
    const found = await readHeads(ids, { counts: true });
    const gone = found.filter(({ head }) => head === undefined);
    await Promise.all(gone.map(({ id, seenAtMs }) => indexes.repair.remove({ index, id }, seenAtMs)));
  }

  /** Never fails, since the write before it has succeeded. */
  return async (conversationId: string, userId: string | undefined): Promise<void> => {
    if (Math.random() * ONE_IN >= 1) return;
    const owned = userId === undefined ? [] : [keys.userIndex(userId)];
    await Promise.allSettled([keys.recencyIndex(conversationId), ...owned].map(sweepIndex));
  };
}
