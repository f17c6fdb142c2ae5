interface AbortListeners {
  readonly actions: Set<() => void>;
  readonly stopListening: () => void;
}

const listenersOf = new WeakMap<AbortSignal, AbortListeners>();

/**
 * Calls `action` once when the signal is aborted, at once if it already is. Returns a function that takes `action` off again.
 *
 * However many actions wait for a signal, it has one listener, and none when nothing waits: Node warns of a leak where
 * a signal has more than ten, and a server may have one signal for all its requests.
 */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) {
    action();
    return () => {};
  }
  const { actions, stopListening } = listenersOf.get(signal) ?? listen(signal);
  // A function of its own, as the same action may wait twice.
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

export interface DeadlineOptions {
  /** From 0 to 2,147,483,647. */
  readonly timeoutMs: number;
  /** Makes the error to reject with. Default: an `Error` that names the time. */
  readonly timeoutError?: () => Error;
  /** Aborting it cancels the deadline: from then on only the promise itself decides. */
  readonly cancelledBy?: AbortSignal;
}

/**
 * The outcome of `promise`, or a rejection if it isn't settled in time. Only the waiting ends then: the work behind the
 * promise goes on.
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
