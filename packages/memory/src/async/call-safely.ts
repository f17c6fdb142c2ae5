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
