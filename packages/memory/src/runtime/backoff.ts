import { onAbort } from "./abort.ts";

/** The waits between the attempts of a retry. */
export interface BackoffDelays {
  /**
   * The maximum duration of the wait before the second attempt, in milliseconds. The maximum doubles for each further
   * wait. Default 100.
   */
  readonly baseDelayMs?: number;
  /** The maximum duration of any wait between two attempts, in milliseconds. Default 5,000. */
  readonly maxDelayMs?: number;
  /** Returns a number from 0 to 1 that makes the waits random. Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Returns the wait after a failed attempt, in milliseconds. `attempt` is the number of the failed attempt, from 1. The
 * wait is a random time up to a maximum that doubles with each attempt ("full jitter"). So clients that failed at the
 * same time don't retry at the same time.
 */
export const backoffDelayMs = (
  attempt: number,
  { baseDelayMs = 100, maxDelayMs = 5_000, random = Math.random }: BackoffDelays = {},
): number => random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));

/** The limits of a retry, and the waits between its attempts. */
export interface BackoffLimits extends BackoffDelays {
  /** The maximum number of attempts, including the first one. Default 5. */
  readonly maxAttempts?: number;
  /** No attempt begins later than this many milliseconds after the beginning of the first attempt. Default 30,000. */
  readonly maxElapsedMs?: number;
}

/** Options of `retryWithBackoff`. */
export interface BackoffOptions<T> extends BackoffLimits {
  /** Whether the call may succeed later, although it threw this error. Default: `false` for every error. */
  readonly isTransientError?: (thrown: unknown) => boolean;
  /** Whether this result is a failure after which the call may succeed later. Default: `false` for every result. */
  readonly isTransientResult?: (result: T) => boolean;
  /**
   * If this signal is aborted, no further attempts are made: the result of the last attempt is returned, or its error
   * is thrown.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called before each wait. `attempt` is the number of the failed attempt, from 1. `delayMs` is the wait in
   * milliseconds. `outcome` is the result or the error of the attempt.
   */
  readonly onRetry?: (attempt: number, delayMs: number, outcome: Outcome<T>) => void;
}

/** The result of an attempt, or the error that it threw. */
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
 * Repeats a call while it fails. `isTransientError` and `isTransientResult` say which errors and results are failures
 * to repeat. The waits between the attempts grow exponentially and are random. Returns the result of the last attempt,
 * or throws its error. The caller must ensure that the call is safe to repeat.
 *
 * @example
 * ```ts
 * import { retryWithBackoff } from "@jaf/memory/adapter";
 *
 * declare function connect(): Promise<{ readonly query: (sql: string) => Promise<unknown> }>;
 *
 * const connection = await retryWithBackoff(connect, {
 *   maxAttempts: 3,
 *   isTransientError: (thrown) => thrown instanceof Error && "code" in thrown && thrown.code === "ECONNREFUSED",
 * });
 * await connection.query("SELECT 1");
 * ```
 */
export const retryWithBackoff = <T>(call: () => Promise<T>, options: BackoffOptions<T>): Promise<T> =>
  retryUntilAborted(call, options, [options.signal]);

/** Repeats a call as {@link retryWithBackoff} does, until one of several signals is aborted. */
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

/** Resolves after `delayMs`, or earlier if one of the signals is aborted. The timer keeps the process alive. */
const sleep = (delayMs: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> =>
  new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      // Remove the listeners, because a signal may exist for much longer than one wait.
      for (const unlisten of unlisteners) unlisten();
      resolve();
    };
    const timer = setTimeout(wake, delayMs);
    const unlisteners = signals.flatMap((signal) => (signal === undefined ? [] : [onAbort(signal, wake)]));
  });
