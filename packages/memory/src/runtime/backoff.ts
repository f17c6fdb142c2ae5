import { onAbort } from "./abort.ts";

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

/** When to try again, and for how long. */
export interface BackoffLimits extends BackoffDelays {
  /** Calls at most, the first one included. Default 5. */
  readonly maxAttempts?: number;
  /** No attempt begins later than this after the first. Default 30,000. */
  readonly maxElapsedMs?: number;
}

export interface BackoffOptions<T> extends BackoffLimits {
  /** Whether an attempt that threw this may succeed later. Default: no. */
  readonly isTransientError?: (thrown: unknown) => boolean;
  /** Whether a result is a failure, and a later attempt may succeed. Default: no. */
  readonly isTransientResult?: (result: T) => boolean;
  /** Aborting it ends the waiting: the last outcome is returned or thrown. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called before each wait with the attempt that failed, counted from 1, the length of the wait, and the attempt's
   * outcome.
   */
  readonly onRetry?: (attempt: number, delayMs: number, outcome: Outcome<T>) => void;
}

/** What an attempt returned or threw. */
export type Outcome<T> = { readonly result: T } | { readonly thrown: unknown };

const toOutcome = async <T>(call: () => Promise<T>): Promise<Outcome<T>> => {
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
 * Calls, and calls again after a failure that is transient, with waits that grow exponentially and are spread at random.
 * Returns or throws the last outcome. The caller decides whether the call is safe to repeat.
 */
export const retryWithBackoff = <T>(call: () => Promise<T>, options: BackoffOptions<T>): Promise<T> =>
  retryUntilAborted(call, options, [options.signal]);

/** {@link retryWithBackoff} that any of several signals ends. */
export async function retryUntilAborted<T>(
  call: () => Promise<T>,
  options: Omit<BackoffOptions<T>, "signal">,
  signals: readonly (AbortSignal | undefined)[],
): Promise<T> {
  const { maxAttempts = 5, maxElapsedMs = 30_000, isTransientError, isTransientResult, onRetry } = options;
  const isAborted = (): boolean => signals.some((signal) => signal?.aborted);
  const isTransient = (outcome: Outcome<T>): boolean =>
    ("result" in outcome ? isTransientResult?.(outcome.result) : isTransientError?.(outcome.thrown)) ?? false;
  const start = performance.now();
  for (let attempt = 1; ; attempt++) {
    const outcome = await toOutcome(call);
    if (!isTransient(outcome) || attempt >= maxAttempts || isAborted()) return unwrap(outcome);
    const delayMs = backoffDelayMs(attempt, options);
    if (performance.now() - start + delayMs > maxElapsedMs) return unwrap(outcome);
    onRetry?.(attempt, delayMs, outcome);
    if (!isAborted()) await sleep(delayMs, signals);
    if (isAborted()) return unwrap(outcome);
  }
}

/** Resolves after the delay, or when a signal is aborted. The timer keeps the process alive, as pending work does. */
const sleep = (delayMs: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> =>
  new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      // Listens only while it waits: a signal may outlive many of these.
      for (const unlisten of unlisteners) unlisten();
      resolve();
    };
    const timer = setTimeout(wake, delayMs);
    const unlisteners = signals.flatMap((signal) => (signal === undefined ? [] : [onAbort(signal, wake)]));
  });
