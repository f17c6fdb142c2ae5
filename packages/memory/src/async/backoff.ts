import { createWaits, type Waits } from "./waits.ts";

/** When to try again, and for how long. */
export interface BackoffLimits {
  /** Calls at most, the first one included. Default 5. */
  readonly maxAttempts?: number;
  /** The first wait is at most this long, each further one at most twice the one before. Default 100. */
  readonly baseDelayMs?: number;
  /** No wait is longer. Default 5,000. */
  readonly maxDelayMs?: number;
  /** No attempt begins later than this after the first. Default 30,000. */
  readonly maxElapsedMs?: number;
  /** A number from 0 to 1 that spreads the waits. Default `Math.random`. */
  readonly random?: () => number;
}

export interface BackoffOptions<T> extends BackoffLimits {
  /** Whether what was thrown may pass. Default: no. */
  readonly isTransientError?: (thrown: unknown) => boolean;
  /** Whether a result is a failure that may pass. Default: no. */
  readonly isTransientResult?: (result: T) => boolean;
  /** Aborting it ends the waiting: the last outcome is the outcome. */
  readonly signal?: AbortSignal | undefined;
  /** Told before each wait of the attempt that failed, from 1, how long the wait is, and what came of the attempt. */
  readonly onRetry?: (attempt: number, delayMs: number, outcome: Outcome<T>) => void;
}

export type Outcome<T> = { readonly result: T } | { readonly thrown: unknown };

/** Full jitter: clients that failed together don't come back together. */
function delayAfter(
  attempt: number,
  { baseDelayMs = 100, maxDelayMs = 5_000, random }: BackoffLimits,
): number {
  return (random ?? Math.random)() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
}

const settle = async <T>(call: () => Promise<T>): Promise<Outcome<T>> => {
  try {
    return { result: await call() };
  } catch (thrown) {
    return { thrown };
  }
};

function unwrap<T>(outcome: Outcome<T>): T {
  if ("result" in outcome) return outcome.result;
  throw outcome.thrown;
}

/**
 * Calls, and calls again after waits that grow exponentially and are spread at random, for as long as what comes of it
 * may pass. The last outcome, whichever it is, is returned or thrown. Whether the call is safe to repeat is the caller's
 * to know.
 */
export const retryWithBackoff = <T>(call: () => Promise<T>, options: BackoffOptions<T>): Promise<T> =>
  retryUntilEnded(call, options, createWaits(undefined));

/** {@link retryWithBackoff} for calls whose waits end together, each also by its own `signal`. */
export async function retryUntilEnded<T>(
  call: () => Promise<T>,
  options: BackoffOptions<T>,
  waits: Waits,
): Promise<T> {
  const { maxAttempts = 5, maxElapsedMs = 30_000, isTransientError, isTransientResult, onRetry } = options;
  const { signal } = options;
  const ended = (): boolean => waits.ended() || signal?.aborted === true;
  const mayPass = (outcome: Outcome<T>): boolean =>
    ("result" in outcome ? isTransientResult?.(outcome.result) : isTransientError?.(outcome.thrown)) ?? false;
  const start = performance.now();
  for (let attempt = 1; ; attempt++) {
    const outcome = await settle(call);
    if (!mayPass(outcome) || attempt >= maxAttempts || ended()) return unwrap(outcome);
    const delayMs = delayAfter(attempt, options);
    if (performance.now() - start + delayMs > maxElapsedMs) return unwrap(outcome);
    onRetry?.(attempt, delayMs, outcome);
    if (!ended()) await waits.wait(delayMs, signal);
    if (ended()) return unwrap(outcome);
  }
}
