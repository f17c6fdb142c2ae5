import { HttpFailure } from "./failure.ts";

/** Limits of this process for each user. */
export interface UserLimits {
  /** Counts a request. Throws a failure if there are too many. */
  readonly request: (userId: string) => void;
  /** Counts something that lasts, until the function that it returns is called. Throws a failure if there are too many. */
  readonly stream: (userId: string) => () => void;
  readonly turn: (userId: string) => () => void;
}

export interface UserLimitOptions {
  readonly requestsPerMinute: number;
  readonly streamsPerUser: number;
  readonly turnsPerUser: number;
}

const MINUTE_MS = 60_000;
/** So many users are remembered; of the others, only those who come often matter. */
const MOST_USERS = 100_000;
/** Of a sum of parts of requests. */
const ROUNDING = 1e-9;

export function createUserLimits(options: UserLimitOptions): UserLimits {
  return {
    request: createRate(options.requestsPerMinute),
    stream: createCounter(options.streamsPerUser, "streams are open"),
    turn: createCounter(options.turnsPerUser, "turns run"),
  };
}

/** A bucket that holds a minute's requests, and is filled evenly. */
function createRate(perMinute: number): (userId: string) => void {
  const buckets = new Map<string, { left: number; at: number }>();
  if (perMinute === Number.POSITIVE_INFINITY) return () => undefined;
  return (userId) => {
    const now = performance.now();
    const { left, at } = buckets.get(userId) ?? { left: perMinute, at: now };
    const filled = Math.min(perMinute, left + ((now - at) * perMinute) / MINUTE_MS);
    buckets.delete(userId);
    if (buckets.size >= MOST_USERS) {
      const [oldest] = buckets.keys();
      if (oldest !== undefined) buckets.delete(oldest);
    }
    const isLetIn = filled >= 1 - ROUNDING;
    // What is refused takes nothing: who asks too early waits no longer for it.
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
      throw new HttpFailure("too-many-requests", `Too many ${what} at once.`, { retryAfterSeconds: 1 });
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
