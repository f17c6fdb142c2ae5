/** How long the waits between attempts are. */
export interface BackoffDelays {
  /** The first wait is at most this long, each further one at most twice the one before. Default 100. */
  readonly baseDelayMs?: number;
  /** No wait is longer. Default 5,000. */
  readonly maxDelayMs?: number;
  /** A number from 0 to 1 that spreads the waits. Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * How long to wait after an attempt that failed, counted from 1, in milliseconds. Any time up to an exponentially growing
 * limit (full jitter): clients that failed together don't come back together.
 */
export const backoffDelayMs = (
  attempt: number,
  { baseDelayMs = 100, maxDelayMs = 5_000, random = Math.random }: BackoffDelays = {},
): number => random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
