import type { ProviderReading } from "@jaf/memory";

/** What a store says the time is, as far as a reading tells it. All in milliseconds since 1970. */
export interface StoreTime {
  /** Of the reading. */
  readonly readAt: number;
  /** When the reading was there, by `performance.now()`. */
  readonly answeredAt: number;
  /** By now: not ahead of the store, and behind it by no more than the reading took. */
  readonly now: () => number;
  /** By now: not behind the store, unless the reading took longer than a second. */
  readonly latest: () => number;
}

/** Of a reading that took longer, the most of it was waiting and trying again, and the store was asked near its end. */
const LONGEST_READING_MS = 1_000;

/** There is no other where a store tells none. */
export const processTime = (): StoreTime => ({
  readAt: Date.now(),
  answeredAt: performance.now(),
  now: () => Date.now(),
  latest: () => Date.now(),
});

/**
 * The clock of the store is the one that all processes have in common, and since the reading a monotonic one goes on: so
 * it doesn't matter what time this process believes it is. `askedAt`: by `performance.now()`, before the reading. To be
 * called as soon as it is there.
 */
export function storeTimeOf({ readAt }: Pick<ProviderReading, "readAt">, askedAt: number): StoreTime {
  const given: unknown = readAt;
  const time = given instanceof Date ? given.getTime() : Number.NaN;
  if (Number.isNaN(time)) return processTime();
  const answeredAt = performance.now();
  const tookMs = Math.min(answeredAt - askedAt, LONGEST_READING_MS);
  const now = () => Math.floor(time + performance.now() - answeredAt);
  // A store gives whole milliseconds that have begun.
  return { readAt: time, answeredAt, now, latest: () => Math.ceil(now() + 1 + tookMs) };
}
