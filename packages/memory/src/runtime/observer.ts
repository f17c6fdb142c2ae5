import { warn } from "./process.ts";

/**
 * Calls something of the application's that only observes, such that it can't break what it observes: what it throws, or
 * rejects with, goes to `onFailure`, which must not throw. Nobody waits for a promise that it returns.
 */
export function callSafely(call: () => unknown, onFailure: (thrown: unknown) => void): void {
  try {
    // An async function is assignable where nothing is expected back, so there may be a promise that can reject.
    const returned = call();
    if (isObject(returned)) Promise.resolve(returned).catch(onFailure);
  } catch (thrown) {
    onFailure(thrown);
  }
}

const isObject = (value: unknown): boolean =>
  (typeof value === "object" && value !== null) || typeof value === "function";

function warnOfFailure(name: string, thrown: unknown): void {
  const reason = thrown instanceof Error ? thrown.message : "it threw something that is no Error";
  warn(`The observer ${name} failed: ${reason}`, { type: "JAFObserverWarning" });
}

/** Calls an observer without waiting for it. If it fails, a process warning names it, and nothing else changes. */
export const notifyObserver = <Event>(
  name: string,
  observer: ((event: Event) => unknown) | undefined,
  event: Event,
): void =>
  callSafely(
    () => observer?.(event),
    (thrown) => warnOfFailure(name, thrown),
  );
