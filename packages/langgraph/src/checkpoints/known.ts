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

/** The checkpoints that this process read or wrote last. Without them, a write would have to read first. */
export interface KnownCheckpoints {
  /** `checkpoint`: `""` for a namespace in which no checkpoint was found. */
  readonly get: (place: Place, checkpoint: string) => KnownCheckpoint | undefined;
  readonly set: (place: Place, checkpoint: string, known: KnownCheckpoint) => void;
  /** The largest id of a checkpoint that was seen in the namespace. */
  readonly newestOf: (place: Place) => string | undefined;
  readonly sawNewest: (place: Place, checkpoint: string) => void;
  readonly forget: (thread: string) => void;
}

/** Enough for the runs of one process that are under way. An entry takes about a kilobyte. */
const LIMIT = 1_000;

const keyOf = ({ thread, namespace }: Place, ...checkpoint: readonly string[]): string =>
  JSON.stringify([thread, namespace, ...checkpoint]);

export function createKnownCheckpoints(): KnownCheckpoints {
  const checkpoints = new Map<string, KnownCheckpoint>();
  const newest = new Map<string, string>();
  return {
    get: (place, checkpoint) => checkpoints.get(keyOf(place, checkpoint)),
    set: (place, checkpoint, known) => setBounded(checkpoints, keyOf(place, checkpoint), known),
    newestOf: (place) => newest.get(keyOf(place)),
    sawNewest: (place, checkpoint) => {
      const seen = newest.get(keyOf(place));
      if (seen === undefined || checkpoint > seen) setBounded(newest, keyOf(place), checkpoint);
    },
    forget: (thread) => {
      const prefix = `[${JSON.stringify(thread)},`;
      for (const map of [checkpoints, newest]) {
        for (const key of map.keys()) if (key.startsWith(prefix)) map.delete(key);
      }
    },
  };
}

/** Sets the value as the newest of the map, and drops the oldest one if there are too many. */
function setBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > LIMIT && oldest !== undefined) map.delete(oldest);
}
