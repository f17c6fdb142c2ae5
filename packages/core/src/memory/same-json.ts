type Fields = Readonly<Record<string, unknown>>;

/** Equal as JSON: key order doesn't count, and a field that is `undefined` is absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (a instanceof Date || b instanceof Date) {
    return a instanceof Date && b instanceof Date && a.getTime() === b.getTime();
  }
  return sameFields(a as Fields, b as Fields);
}

function sameFields(a: Fields, b: Fields): boolean {
  for (const key of Object.keys(a)) {
    if (a[key] !== undefined && !(Object.hasOwn(b, key) && sameJson(a[key], b[key]))) return false;
  }
  return Object.keys(b).every((key) => b[key] === undefined || Object.hasOwn(a, key));
}
