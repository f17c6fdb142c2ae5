import { MAX_DEPTH } from "@jaf/memory/internal";
import type { Fields } from "@jaf/model-http";

/** Whether a value is an object of fields: no array, and no instance of a class such as `Date`. */
export function isFieldsOnly(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Whether a store returns `b` for `a`. A field that is `undefined` counts as absent, as in stores. Other objects than
 * arrays and plain objects, e.g. dates, only equal themselves.
 */
export function isExact(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isExact(item, b[index], depth + 1));
  if (!isFieldsOnly(a) || !isFieldsOnly(b)) return false;
  const same = (key: string): boolean => isExact(ownField(a, key), ownField(b, key), depth + 1);
  return [...Object.keys(a), ...Object.keys(b)].every(same);
}

/** Returns the object's own field. `__proto__` is a normal key in a message of a client. */
export const ownField = (fields: Fields, key: string): unknown =>
  Object.hasOwn(fields, key) ? fields[key] : undefined;

/**
 * Returns the fields of `whole` that `part` lacks. Returns `undefined` if a field of `part` differs in `whole`.
 */
export function fieldsBeyond(part: Fields, whole: Fields): Fields | undefined {
  const isIn = Object.keys(part).every((key) => isExact(ownField(part, key), ownField(whole, key)));
  if (!isIn) return undefined;
  return Object.fromEntries(
    Object.entries(whole).filter(([key, value]) => value !== undefined && ownField(part, key) === undefined),
  );
}
