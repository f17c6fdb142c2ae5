/** Anything with a `then`, as `await` sees it: promises of another realm or library are no `instanceof Promise`. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  "then" in value &&
  typeof value.then === "function";
