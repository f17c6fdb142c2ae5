import { HttpFailure } from "./failure.ts";

/** Limits for each user. Each server process counts for itself. */
export interface UserLimits {
  /** Counts a request of the user. Throws an `HttpFailure` if the user has sent too many requests. */
  readonly request: (userId: string) => void;
  /**
   * Counts an open stream of the user until you call the returned function. Throws an `HttpFailure` if the user has too
   * many open streams.
   */
  readonly stream: (userId: string) => () => void;
  /**
   * Counts a running turn of the user until you call the returned function. Throws an `HttpFailure` if the user has too
   * many running turns.
   */
  readonly turn: (userId: string) => () => void;
}

export interface UserLimitOptions {
  readonly requestsPerMinute: number;
  readonly streamsPerUser: number;
  readonly turnsPerUser: number;
}

const MINUTE_MS = 60_000;
/** Maximum number of users whose requests are counted. */
const MOST_USERS = 100_000;
/** Tolerance for rounding errors in the number of requests that a user may still send. */
const ROUNDING = 1e-9;

export function createUserLimits(options: UserLimitOptions): UserLimits {
  return {
    request: createRate(options.requestsPerMinute),
    stream: createCounter(options.streamsPerUser, "open streams"),
    turn: createCounter(options.turnsPerUser, "running turns"),
  };
}

/**
 * Creates the function that counts a user's request. That function throws an `HttpFailure` if the user has sent too
 * many requests.
 */
function createRate(perMinute: number): (userId: string) => void {
  // Token buckets by user id. Each holds the requests of one minute and is refilled evenly.
  const buckets = new Map<string, { left: number; at: number }>();
  if (perMinute === Number.POSITIVE_INFINITY) return () => undefined;
  return (userId) => {
    const now = performance.now();
    const { left, at } = buckets.get(userId) ?? { left: perMinute, at: now };
    const filled = Math.min(perMinute, left + ((now - at) * perMinute) / MINUTE_MS);
    buckets.delete(userId);
    if (buckets.size >= MOST_USERS) {
      // Drops the count of the user whose last request is oldest.
      const [oldest] = buckets.keys();
      if (oldest !== undefined) buckets.delete(oldest);
    }
    const isLetIn = filled >= 1 - ROUNDING;
    // A refused request takes no token, so early retries don't extend the wait.
    buckets.set(userId, { left: isLetIn ? Math.max(0, filled - 1) : filled, at: now });
    if (isLetIn) return;
    const retryAfterSeconds = ((1 - filled) * MINUTE_MS) / perMinute / 1_000;
    throw new HttpFailure("too-many-requests", "Too many requests.", { retryAfterSeconds });
  };
}

function createCounter(most: number, what: string): (userId: string) => () => void {
  const counts = new Map<string, number>();
  return (userId) => {
    const count = counts.get(userId) ?? 0;
    if (count >= most)
      throw new HttpFailure("too-many-requests", `Too many ${what}.`, { retryAfterSeconds: 1 });
    counts.set(userId, count + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (counts.get(userId) ?? 1) - 1;
      if (left === 0) counts.delete(userId);
      else counts.set(userId, left);
    };
  };
}
