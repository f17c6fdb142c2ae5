import { onAbort } from "./abort.ts";

/** The waits between attempts. */
export interface BackoffDelays {
  /** The maximum of the first wait, in milliseconds. It doubles for each further wait. Default 100. */
  readonly baseDelayMs?: number;
  /** The maximum of any wait, in milliseconds. Default 5,000. */
  readonly maxDelayMs?: number;
  /** Returns a number from 0 to 1 to randomise the waits. Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Returns the wait after a failed attempt, counted from 1, in milliseconds. A random time up to an exponentially
 * growing limit (full jitter), so clients that failed together don't retry together.
 */
export const backoffDelayMs = (
  attempt: number,
  { baseDelayMs = 100, maxDelayMs = 5_000, random = Math.random }: BackoffDelays = {},
): number => random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));

/** When and how long to retry. */
export interface BackoffLimits extends BackoffDelays {
  /** The maximum number of calls, including the first. Default 5. */
  readonly maxAttempts?: number;
  /** No attempt begins later than this after the first, in milliseconds. Default 30,000. */
  readonly maxElapsedMs?: number;
}

/** Options of `retryWithBackoff`. */
export interface BackoffOptions<T> extends BackoffLimits {
  /** Whether an attempt that threw this may succeed later. Default: no. */
  readonly isTransientError?: (thrown: unknown) => boolean;
  /** Whether a result is a failure that may succeed later. Default: no. */
  readonly isTransientResult?: (result: T) => boolean;
  /** Aborting it stops the retries: the last outcome is returned or thrown. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called before each wait with the number of the failed attempt, from 1, the length of the wait, and the attempt's
   * outcome.
   */
  readonly onRetry?: (attempt: number, delayMs: number, outcome: Outcome<T>) => void;
}

/** The result or error of an attempt. */
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
 * Retries a call after transient failures, with exponential, randomised waits. Returns or throws the last outcome. The
 * caller decides whether the call is safe to repeat.
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

/** {@link retryWithBackoff} with several signals. Any of them stops it. */
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

/** Resolves after the delay, or when a signal is aborted. The timer keeps the process alive, like pending work. */
const sleep = (delayMs: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> =>
  new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      // Remove the listeners: a signal may outlive many waits.
      for (const unlisten of unlisteners) unlisten();
      resolve();
    };
    const timer = setTimeout(wake, delayMs);
    const unlisteners = signals.flatMap((signal) => (signal === undefined ? [] : [onAbort(signal, wake)]));
  });
