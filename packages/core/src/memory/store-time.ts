import type { ProviderReading } from "@jaf/memory";

/** What a store says the time is, as far as a reading tells it. */
export interface StoreTime {
  /** Of the reading, in milliseconds since 1970. */
  readonly readAt: number;
  /** By now, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Of a reading that took longer, the most of it was waiting and trying again, and the store was asked near its end. */
const LONGEST_READING_MS = 1_000;

/** There is no other where a store tells none. */
export const processTime = (): StoreTime => ({ readAt: Date.now(), now: () => Date.now() });

/**
 * The clock of the store is the one that all processes have in common, and since the reading a monotonic one goes on: so
 * it doesn't matter what time this process believes it is. `askedAt`: by `performance.now()`, before the reading. Reckoned
 * from there, the time is ahead of the store's by what the reading took at most, and not behind it: no run believes for
 * longer than others that it has the turn.
 */
export function storeTimeOf({ readAt }: Pick<ProviderReading, "readAt">, askedAt: number): StoreTime {
  const given: unknown = readAt;
  const time = given instanceof Date ? given.getTime() : Number.NaN;
  if (Number.isNaN(time)) return processTime();
  const since = Math.max(askedAt, performance.now() - LONGEST_READING_MS);
  return { readAt: time, now: () => Math.ceil(time + performance.now() - since) };
}
