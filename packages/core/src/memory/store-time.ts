import type { ProviderReading } from "@jaf/memory";

/** The time by a store's clock, as a reading told it. In milliseconds since 1970. */
export interface StoreTime {
  /** When the store made the reading. */
  readonly readAt: number;
  /** When the reading arrived, by `performance.now()`. */
  readonly answeredAt: number;
  /** The time now: never ahead of the store's clock, and behind it by at most as long as the reading took. */
  readonly now: () => number;
  /** The time now: never behind the store's clock, unless the reading took longer than a second. */
  readonly latest: () => number;
}

/** A reading that took longer was mostly waiting and retries; the store made it near the end. */
const LONGEST_READING_MS = 1_000;

/** This process's clock, for a store that tells no time. */
export const processTime = (): StoreTime => ({
  readAt: Date.now(),
  answeredAt: performance.now(),
  now: () => Date.now(),
  latest: () => Date.now(),
});

/**
 * All processes share the store's clock; from the reading on, a monotonic clock continues it. So the clock of this process
 * doesn't matter. `askedAt`: by `performance.now()`, before the reading. To be called as soon as the reading has arrived.
 */
export function storeTimeOf({ readAt }: Pick<ProviderReading, "readAt">, askedAt: number): StoreTime {
  const given: unknown = readAt;
  const time = given instanceof Date ? given.getTime() : Number.NaN;
  if (Number.isNaN(time)) return processTime();
  const answeredAt = performance.now();
  const tookMs = Math.min(answeredAt - askedAt, LONGEST_READING_MS);
  const now = () => Math.floor(time + performance.now() - answeredAt);
  // Stores round their time down to whole milliseconds.
  return { readAt: time, answeredAt, now, latest: () => Math.ceil(now() + 1 + tookMs) };
}
