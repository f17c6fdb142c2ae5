import { list, text } from "./decoding.ts";
import type { ReadHeads } from "./head-reader.ts";
import type { Indexes } from "./indexes.ts";
import type { Keys } from "./keys.ts";
import type { RunScript } from "./scripts/runner.ts";

/**
 * One of this many new conversations checks SAMPLE entries: two entries for each conversation, so that at most half of all
 * are stale.
 */
const ONE_IN = 8;
const SAMPLE = 16;

export interface SweepOptions {
  readonly run: RunScript;
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
