import type { Keys } from "./keys.ts";
import type { ReplicaWait, RunScript } from "./scripts/runner.ts";

/** Where a conversation's entries are: in the list of all, in its owner's, and in those of traces. */
export interface Listed {
  readonly conversationId: string;
  readonly userId?: string | undefined;
  readonly traceIds?: readonly string[];
}

/** How long the indexes must live, in milliseconds, and 0 for ever. */
export interface Lifetime {
  readonly ttlMs: number;
}

/**
 * The upkeep of indexes that no script can reach together with the conversation, since a Cluster may have them on
 * another server. Entries are made before a conversation is written and removed after it was deleted, so that a crash
 * leaves an entry too many, never one too few.
 */
export function createIndexes(run: RunScript, keys: Keys, wait?: ReplicaWait) {
  const waits = wait === undefined ? 0 : 1;

  const indexesOf = ({ conversationId, userId, traceIds = [] }: Listed): readonly string[] => [
    keys.recencyIndex(conversationId),
    ...(userId === undefined ? [] : [keys.userIndex(userId)]),
    ...traceIds.map(keys.traceIndex),
  ];

  const settleIn = (index: string, entry: readonly (string | number)[]): Promise<unknown> =>
    run("settle", { keys: [index], args: [...entry, waits] }, wait);

  async function inAll(listed: Listed, act: (index: string) => Promise<unknown>): Promise<void> {
    await Promise.all(indexesOf(listed).map(act));
  }

  const remove = (index: string, conversationId: string, goneAtMs: number): Promise<unknown> =>
    run("unindex", { keys: [index], args: [conversationId, goneAtMs] });

  return {
    /** Makes entries that wait for their conversation. `created`: it does not exist yet. */
    reserve: (listed: Listed, { nowMs, created }: { readonly nowMs: number; readonly created: boolean }) =>
      inAll(listed, (index) =>
        run("reserve", { keys: [index], args: [listed.conversationId, nowMs, created ? 1 : 0, waits] }, wait),
      ),

    /** Puts the entries where the last activity belongs. `keep`: the indexes need not outlive it by themselves. */
    settle: (
      listed: Listed,
      { lastActivityMs, keep }: { lastActivityMs: number; keep?: Lifetime | undefined },
    ) =>
      inAll(listed, (index) =>
        settleIn(index, [
          listed.conversationId,
          lastActivityMs,
          keep?.ttlMs ?? 0,
          keep === undefined ? 0 : 1,
          "",
        ]),
      ),

    /** Corrects one entry whose score was found to be wrong, unless it has changed since. */
    mend: (
      index: string,
      { id, score }: { readonly id: string; readonly score: number },
      lastActivityMs: number,
    ) => settleIn(index, [id, lastActivityMs, 0, 0, score]),

    remove,

    removeAll: (listed: Listed, goneAtMs: number) =>
      inAll(listed, (index) => remove(index, listed.conversationId, goneAtMs)),
  };
}

export type Indexes = ReturnType<typeof createIndexes>;
