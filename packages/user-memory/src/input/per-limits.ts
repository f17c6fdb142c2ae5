import type { UserMemoryLimits } from "../limits.ts";

/** What is made of a store's limits, made once for each store. */
export function perLimits<T>(make: (limits: UserMemoryLimits) => T): (limits: UserMemoryLimits) => T {
  const made = new WeakMap<UserMemoryLimits, { readonly value: T }>();
  return (limits) => {
    const known = made.get(limits) ?? { value: make(limits) };
    made.set(limits, known);
    return known.value;
  };
}
