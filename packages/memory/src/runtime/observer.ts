import { warn } from "./process.ts";

/**
 * Runs `call`, which calls an observer of the application (e.g. `RetryOptions.onRetry`), and never throws. If `call`
 * throws, or returns a promise that rejects, `onFailure` gets the error. `onFailure` must not throw. A promise that
 * `call` returns is not awaited.
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
 * Calls an observer of the application (e.g. `RetryOptions.onRetry`) with the event, and doesn't await its promise.
 * Does nothing if `observer` is `undefined`. If the observer fails, a process warning with `name` is emitted; nothing
 * else changes.
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
