import { base64Of, isUint8Array, sameBytes } from "../runtime/bytes.ts";
import { type Fields, isFields } from "../runtime/objects.ts";

/** Compares one field of two objects; a field that an object lacks is `undefined`. */
export type SameField = (key: string, a: unknown, b: unknown) => boolean;

/** Deeper values are equal only if they are identical: no stored message is that deep, and a stack has an end. */
const MAX_DEPTH = 1_000;

/**
 * Equal as JSON: key order doesn't matter, a field that is `undefined` counts as absent, a `Date` is its ISO text, a `URL` its
 * address. Bytes equal the same bytes and their JSON forms: base64, or an object with an index for each byte.
 * Reads only own fields, so that `__proto__` is a key like any other, and goes only as deep as both values do: so a
 * cycle in one of them ends. Throws only what reading a value throws.
 */
export const sameJson = (a: unknown, b: unknown): boolean => sameValue(a, b, 0);

/** Whether two objects, no arrays, agree in every field that either of them has. */
export function sameFields(a: unknown, b: unknown, same: SameField): boolean {
  if (!isFields(a) || !isFields(b)) return false;
  for (const key of Object.keys(a)) if (!same(key, a[key], ownField(b, key))) return false;
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key) && !same(key, undefined, b[key])) return false;
  return true;
}

/** Whether two arrays agree item by item. */
export function sameLists(a: unknown, b: unknown, same: (a: unknown, b: unknown) => boolean): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, index) => same(item, b[index]));
}

/** `undefined` for what the value doesn't have itself. */
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

// Of an invalid Date nothing is the text, itself neither.
function textOf(value: unknown): unknown {
  if (value instanceof URL) return value.href;
  if (!(value instanceof Date)) return value;
  return Number.isNaN(value.getTime()) ? Number.NaN : value.toISOString();
}

function isSameAsBytes(bytes: Uint8Array, other: unknown): boolean {
  if (isUint8Array(other)) return sameBytes(bytes, other);
  if (typeof other === "string") {
    // The length first, so that nothing is made of bytes that can't be meant.
    return other.length === 4 * Math.ceil(bytes.length / 3) && base64Of(bytes) === other;
  }
  if (!isFields(other) || Object.keys(other).length !== bytes.length) return false;
  return bytes.every((byte, index) => ownField(other, `${index}`) === byte);
}
