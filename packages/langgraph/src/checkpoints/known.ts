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
  const checkpoints = createBoundedMap<KnownCheckpoint>(CHECKPOINTS);
  const starts = createBoundedMap<KnownCheckpoint>(STARTS);
  const newest = createBoundedMap<string>(CHECKPOINTS);
  const mapOf = (checkpoint: string) => (checkpoint === "" ? starts : checkpoints);
  return {
    get: (place, checkpoint) => mapOf(checkpoint).get(keyOf(place, checkpoint)),
    set: (place, checkpoint, known) => mapOf(checkpoint).set(keyOf(place, checkpoint), known),
    newestOf: (place) => newest.get(keyOf(place)),
    sawNewest: (place, checkpoint) => {
      const seen = newest.get(keyOf(place));
      if (seen === undefined || checkpoint > seen) newest.set(keyOf(place), checkpoint);
    },
    forgetStarts: (thread) => {
      const prefix = `[${JSON.stringify(thread)},`;
      for (const map of [starts, newest]) map.removeAll((key) => key.startsWith(prefix));
    },
  };
}

/** Returns a map that drops the entry that was set first if there are more than `limit`. */
function createBoundedMap<T>(limit: number) {
  const entries = new Map<string, T>();
  return {
    get: (key: string): T | undefined => entries.get(key),
    set: (key: string, value: T): void => {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
    },
    removeAll: (isRemoved: (key: string) => boolean): void => {
      for (const key of entries.keys()) if (isRemoved(key)) entries.delete(key);
    },
  };
}
