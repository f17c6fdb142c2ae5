/** Anything with a `then`, as `await` sees it: promises of another realm or library are no `instanceof Promise`. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  // Asked once: there are many in a turn, and nearly all of them are none.
  typeof (value as { readonly then?: unknown }).then === "function";
