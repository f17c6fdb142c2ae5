/** Returns a copy of stored data that may be changed, as graphs do with what they read. Stored data is frozen. */
export function thawed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(thawed);
  const isPlain =
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, thawed(inner)]));
}
