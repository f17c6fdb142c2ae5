import { base64Of, isUint8Array, sameBytes } from "../runtime/bytes.ts";
import { type Fields, isFields } from "../runtime/objects.ts";

/**
 * Returns whether the field `key` of two objects counts as equal. `a` and `b` are its values in the two objects;
 * `undefined` if the field is missing.
 */
export type SameField = (key: string, a: unknown, b: unknown) => boolean;

/** The maximum depth of the comparison. Deeper values only count as equal if they are identical. */
const MAX_DEPTH = 1_000;

/**
 * Whether two values are equal as JSON. The order of keys doesn't matter, and an `undefined` field counts as absent. A
 * `Date` equals its ISO text, and a `URL` equals its address as text. Bytes equal the same bytes and their two JSON
 * forms: base64 text, or an object with a number for each index.
 *
 * Only own fields count, so `__proto__` is a normal key. One of the two values may contain cycles. Only throws if a
 * getter of a value throws.
 *
 * @example
 * ```ts
 * import { sameJson } from "@jaf/memory/history";
 *
 * console.log(sameJson({ city: "Pune", days: undefined }, { city: "Pune" }));
 * ```
 */
export const sameJson = (a: unknown, b: unknown): boolean => sameValue(a, b, 0);

/**
 * Whether both values are objects, but not arrays, and `same` returns `true` for each field that one of the objects
 * has.
 */
export function sameFields(a: unknown, b: unknown, same: SameField): boolean {
  if (!isFields(a) || !isFields(b)) return false;
  for (const key of Object.keys(a)) if (!same(key, a[key], ownField(b, key))) return false;
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key) && !same(key, undefined, b[key])) return false;
  return true;
}

/** Whether both values are arrays of the same length, and `same` returns `true` for each pair of items. */
export function sameLists(a: unknown, b: unknown, same: (a: unknown, b: unknown) => boolean): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, index) => same(item, b[index]));
}

/** Returns the object's own field, or `undefined` if the field is missing or inherited. */
export const ownField = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (value as Fields)[key] : undefined;

function sameValue(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true;
  if (typeof a === "string" && typeof b === "string") return false;
  if (isText(a) || isText(b)) return textOf(a) === textOf(b);
  if (isUint8Array(a)) return isSameAsBytes(a, b);
  if (isUint8Array(b)) return isSameAsBytes(b, a);
  if (typeof a !== "object" || typeof b !== "object" || depth >= MAX_DEPTH) return false;
  const same = (x: unknown, y: unknown) => sameValue(x, y, depth + 1);
  return Array.isArray(a) ? sameLists(a, b, same) : sameFields(a, b, (_, x, y) => same(x, y));
}

const isText = (value: unknown): value is Date | URL => value instanceof Date || value instanceof URL;

// Converts a Date or URL into text, and returns any other value unchanged. An invalid Date becomes `NaN`, which equals
// no value, not even itself.
function textOf(value: unknown): unknown {
  if (value instanceof URL) return value.href;
  if (!(value instanceof Date)) return value;
  return Number.isNaN(value.getTime()) ? Number.NaN : value.toISOString();
}

function isSameAsBytes(bytes: Uint8Array, other: unknown): boolean {
  if (isUint8Array(other)) return sameBytes(bytes, other);
  if (typeof other === "string") {
    // Compare the length first, to avoid encoding bytes that can't match.
    return other.length === 4 * Math.ceil(bytes.length / 3) && base64Of(bytes) === other;
  }
  if (!isFields(other) || Object.keys(other).length !== bytes.length) return false;
  return bytes.every((byte, index) => ownField(other, `${index}`) === byte);
}
