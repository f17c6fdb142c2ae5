/**
 * A function that calls `make` once, on its first call, and returns the same value from then on. For values that a program may
 * import and never use: schemas, tables, large patterns. If `make` throws, the next call tries again.
 */
export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
