interface AbortListeners {
  readonly actions: Set<() => void>;
  readonly stopListening: () => void;
}

const listenersOf = new WeakMap<AbortSignal, AbortListeners>();

/**
 * Calls `action` once when the signal is aborted, or at once if it already is. Returns a function that removes
 * `action`.
 */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  // All actions for one signal share one listener, which is removed when no action is left. A server may use one signal
  // for all its requests, and Node warns of a memory leak if a signal has more than ten listeners.
  if (signal.aborted) {
    action();
    return () => {};
  }
  const { actions, stopListening } = listenersOf.get(signal) ?? listen(signal);
  // Wrap the action in a new function, because a caller may add the same action twice.
  const entry = () => action();
  actions.add(entry);
  return () => {
    if (actions.delete(entry) && actions.size === 0) stopListening();
  };
}

function listen(signal: AbortSignal): AbortListeners {
  const actions = new Set<() => void>();
  const stopListening = () => {
    signal.removeEventListener("abort", abort);
    listenersOf.delete(signal);
  };
  const abort = () => {
    stopListening();
    for (const action of actions) action();
    actions.clear();
  };
  const listeners = { actions, stopListening };
  listenersOf.set(signal, listeners);
  signal.addEventListener("abort", abort);
  return listeners;
}

/** Options of `withDeadline`. */
export interface DeadlineOptions {
  /** The maximum time to wait, in milliseconds, from 0 to 2,147,483,647. */
  readonly timeoutMs: number;
  /**
   * Creates the error with which `withDeadline` rejects after `timeoutMs`. Default: an `Error` whose message contains
   * `timeoutMs`.
   */
  readonly timeoutError?: () => Error;
  /** If this signal is aborted, the time limit no longer applies. Absent: the time limit always applies. */
  readonly cancelledBy?: AbortSignal;
}

/**
 * Settles as `promise` does, or rejects if `promise` isn't settled within `timeoutMs`. The work behind the promise
 * continues after the time limit.
 *
 * @example
 * ```ts
 * import { withDeadline } from "@jaf/memory/adapter";
 *
 * declare function countRows(): Promise<number>;
 *
 * const rows = await withDeadline(countRows(), {
 *   timeoutMs: 5_000,
 *   timeoutError: () => new Error("The database did not answer within 5 seconds."),
 * });
 * console.log(rows);
 * ```
 */
export async function withDeadline<T>(
  promise: PromiseLike<T>,
  { timeoutMs, timeoutError, cancelledBy }: DeadlineOptions,
): Promise<T> {
  let stop = () => {};
  const expired = new Promise<never>((_, reject) => {
    const expire = () => reject(timeoutError?.() ?? new Error(`no answer within ${timeoutMs} ms`));
    const timer = setTimeout(expire, timeoutMs);
    stop = () => clearTimeout(timer);
  });
  if (cancelledBy?.aborted === true) stop();
  cancelledBy?.addEventListener("abort", stop);
  try {
    return await Promise.race([promise, expired]);
  } finally {
    stop();
    cancelledBy?.removeEventListener("abort", stop);
  }
}
