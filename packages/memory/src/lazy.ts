/**
 * What `make` gives, made by the first call and kept for the others. For what a module needs but a program that imports it
 * may never use: schemas, tables, large patterns. If `make` throws, the next call tries again.
 */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
