import type { Keys } from "../keys.ts";
import { list, type ReplicaWait, text } from "../lua.ts";
import type { ReadHeads } from "./head.ts";
import type { RunConversationScript } from "./scripts/index.ts";

/** Where a conversation's entries are: in the list of all, unless `recent` is false, in its owner's, and in those of traces. */
export interface IndexedConversation {
  readonly conversationId: string;
  readonly recent?: boolean;
  readonly userId?: string | undefined;
  readonly traceIds?: readonly string[];
}

export interface Reservation {
  readonly nowMs: number;
  /** 0: for ever. */
  readonly ttlMs: number;
  /** The user's tombstone, if what it holds is asked for, and what it may hold for an entry to be made. */
  readonly user?: { readonly tombstone: string; readonly expected: string } | undefined;
}

/** An entry that a reader has found. */
export interface FoundEntry {
  readonly index: string;
  readonly id: string;
  readonly score: number;
}

/**
 * The maintenance of indexes that no script can reach together with the conversation, since a Cluster may have them on
 * another server. Entries are made before a conversation is written and removed after it was deleted, so that a crash
 * leaves an entry too many, never one too few.
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

  // A repair must not fail the read: a server that refuses writes still answers it.
  const ignoreFailure = (repair: Promise<unknown>): Promise<void> =>
    repair.then(
      () => {},
      () => {},
    );

  return {
    /** Makes entries for a conversation that is about to be written, and extends the ttl of the indexes. */
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

    /** Extends the ttl of the indexes to that of a conversation in them, before the conversation gets it. */
    extend: (indexed: IndexedConversation, ttlMs: number) =>
      inAll(indexed, (index) => run("extendIndex", { keys: [index], args: [ttlMs] }, wait)),

    /**
     * Gives the reserved entries the score of the last activity; `importedAtMs`: of an import, whose activity may be long
     * ago.
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

    /** For readers: never fails. */
    repair: {
      /** The conversation was gone at that time. */
      remove: ({ index, id }: Pick<FoundEntry, "index" | "id">, goneAtMs: number) =>
        ignoreFailure(remove(index, id, goneAtMs)),
      /** The score was wrong, and is corrected unless it has changed since. */
      correct: ({ index, id, score }: FoundEntry, lastActivityMs: number, seenAtMs: number) => {
        const args = [id, score, lastActivityMs, keys.importMarker(index), seenAtMs];
        return ignoreFailure(run("correctIndexEntry", { keys: [index], args }));
      },
    },
  };
}

export type Indexes = ReturnType<typeof createIndexes>;

/**
 * One of this many new conversations checks SAMPLE entries: two entries for each conversation, so that at most half of all
 * are stale.
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
 * Redis removes expired conversations, but not their entries in indexes. Readers remove the stale entries that they
 * find; without readers, new conversations do, a few entries at a time.
 */
export function createSweep({ run, keys, indexes, readHeads }: SweepOptions) {
  async function sweepIndex(index: string): Promise<void> {
    const ids = list(await run("sampleIndex", { keys: [index], args: [SAMPLE] })).map(text);
    const found = await readHeads(ids, { counts: true });
    const gone = found.filter(({ head }) => head === undefined);
    await Promise.all(gone.map(({ id, seenAtMs }) => indexes.repair.remove({ index, id }, seenAtMs)));
  }

  /** Never fails: the write before it is done. */
  return async (conversationId: string, userId: string | undefined): Promise<void> => {
    if (Math.random() * ONE_IN >= 1) return;
    const owned = userId === undefined ? [] : [keys.userIndex(userId)];
    await Promise.allSettled([keys.recencyIndex(conversationId), ...owned].map(sweepIndex));
  };
}
