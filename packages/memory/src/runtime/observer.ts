import { warn } from "./process.ts";

/**
 * Runs `call` (e.g. a call of the application's `RetryOptions.onRetry`) without awaiting its promise. Never throws:
 * `onFailure` gets the error that `call` throws, or with which its promise rejects. `onFailure` must not throw.
 */
export function callSafely(call: () => unknown, onFailure: (thrown: unknown) => void): void {
  try {
    // TypeScript accepts an async function in place of a function that returns nothing. So the result may be a promise
    // that rejects.
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

/**
 * Calls an observer of the application (e.g. `RetryOptions.onRetry`) with the event. Never throws: a failure of the
 * observer becomes a process warning that contains `name`.
 */
export const notifyObserver = <Event>(
  name: string,
  observer: ((event: Event) => unknown) | undefined,
  event: Event,
): void =>
  callSafely(
    () => observer?.(event),
    (thrown) => warnOfFailure(name, thrown),
  );
