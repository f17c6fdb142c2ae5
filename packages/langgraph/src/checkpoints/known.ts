import { setBounded } from "@jaf/memory/internal";
import type { Standing } from "./log.ts";
import type { Place } from "./place.ts";
import type { ChannelValue } from "./record.ts";

/** What this process knows of a checkpoint from its own reads and writes. */
export interface KnownCheckpoint {
  /** The conversation at that time. A write that follows from the checkpoint is refused if it was erased since. */
  readonly standing: Standing;
  /** The number of the checkpoint's next record. */
  readonly nextNumber: number;
  /** Where the values of its channels stand. `undefined`: the checkpoint isn't stored. */
  readonly values: readonly ChannelValue[] | undefined;
}

/** What this process read or wrote last. Without it, a write would have to read first. */
export interface KnownCheckpoints {
  /** `checkpoint`: `""` for a namespace in which no checkpoint was found, as a run's first read does. */
  readonly get: (place: Place, checkpoint: string) => KnownCheckpoint | undefined;
  readonly set: (place: Place, checkpoint: string, known: KnownCheckpoint) => void;
  /** The largest id of a checkpoint that was seen in the namespace. */
  readonly newestOf: (place: Place) => string | undefined;
  readonly sawNewest: (place: Place, checkpoint: string) => void;
  /** Forgets how runs of the thread began. Its checkpoints stay known, so that later writes of a run are refused. */
  readonly forgetStarts: (thread: string) => void;
}

/** Enough for the runs of one process that are under way. An entry takes about a kilobyte. */
const CHECKPOINTS = 1_000;
/** More: without its start, a run's first write can't be told from a write after an erasure. */
const STARTS = 10_000;

const keyOf = ({ thread, namespace }: Place, ...checkpoint: readonly string[]): string =>
  JSON.stringify([thread, namespace, ...checkpoint]);

export function createKnownCheckpoints(): KnownCheckpoints {
  const checkpoints = new Map<string, KnownCheckpoint>();
  const starts = new Map<string, KnownCheckpoint>();
  const newest = new Map<string, string>();
  const mapOf = (checkpoint: string) => (checkpoint === "" ? starts : checkpoints);
  return {
    get: (place, checkpoint) => mapOf(checkpoint).get(keyOf(place, checkpoint)),
    set: (place, checkpoint, known) => {
      const limit = checkpoint === "" ? STARTS : CHECKPOINTS;
      setBounded(mapOf(checkpoint), [keyOf(place, checkpoint), known], limit);
    },
    newestOf: (place) => newest.get(keyOf(place)),
    sawNewest: (place, checkpoint) => {
      const seen = newest.get(keyOf(place));
      if (seen === undefined || checkpoint > seen)
        setBounded(newest, [keyOf(place), checkpoint], CHECKPOINTS);
    },
    forgetStarts: (thread) => {
      const prefix = `[${JSON.stringify(thread)},`;
      for (const map of [starts, newest]) {
        for (const key of map.keys()) if (key.startsWith(prefix)) map.delete(key);
      }
    },
  };
}
