/**
 * Copies that nobody can change, at any depth. The same copy for the same object, call after call; an object that stands
 * in a list several times gets one for each, so that they can be told apart. Dates are copied, and not frozen: nothing can
 * be done about their methods.
 */
export function openCopies<T extends object>(): (originals: readonly T[]) => readonly T[] {
  const made = new WeakMap<T, T[]>();
  return (originals) => {
    const seen = new Map<T, number>();
    return originals.map((original) => {
      const nth = seen.get(original) ?? 0;
      seen.set(original, nth + 1);
      const copies = made.get(original) ?? [];
      made.set(original, copies);
      const copy = copies[nth] ?? (frozenCopy(original) as T);
      copies[nth] = copy;
      return copy;
    });
  };
}

function frozenCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return new Date(value);
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key, frozenCopy(each)])),
  );
}
