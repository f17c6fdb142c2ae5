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
