import { warn } from "./process.ts";

/**
 * Calls an application's observer, so that its errors can't break the observed code. `onFailure` gets what it throws or
 * rejects with, and must not throw. A returned promise is not awaited.
 */
export function callSafely(call: () => unknown, onFailure: (thrown: unknown) => void): void {
  try {
    // Async functions are assignable to functions that return nothing, so the result may be a promise that rejects.
    const returned = call();
    if (isObject(returned)) Promise.resolve(returned).catch(onFailure);
  } catch (thrown) {
    onFailure(thrown);
  }
}

const isObject = (value: unknown): boolean =>
  (typeof value === "object" && value !== null) || typeof value === "function";

function warnOfFailure(name: string, thrown: unknown): void {
  const reason = thrown instanceof Error ? thrown.message : "it threw something other than an Error";
  warn(`The observer ${name} failed: ${reason}`, { type: "JAFObserverWarning" });
}

/** Calls an observer without waiting for it. If it fails, a process warning names it; nothing else changes. */
export const notifyObserver = <Event>(
  name: string,
  observer: ((event: Event) => unknown) | undefined,
  event: Event,
): void =>
  callSafely(
    () => observer?.(event),
    (thrown) => warnOfFailure(name, thrown),
  );
