import { isPlainObject } from "../codec/checks.ts";
import { isUint8Array } from "../platform/uint8-array.ts";

/** Deeper than any provider takes; also the end of a cycle. */
const MAX_DEPTH = 210;

const isPlainArray = (value: unknown): value is unknown[] =>
  Array.isArray(value) && Object.getPrototypeOf(value) === Array.prototype;

function copyValue(value: unknown, depth: number): unknown {
  if (value instanceof Date) return new Date(value);
  if (value instanceof URL) return new URL(value);
  if (isUint8Array(value)) return new Uint8Array(value);
  // What no provider takes stays as it is: the provider says what is wrong with it.
  if (depth > MAX_DEPTH || !(isPlainArray(value) || isPlainObject(value))) return value;
  const copy: object = Array.isArray(value) ? new Array<unknown>(value.length) : {};
  // All properties, hidden ones too: a condition that gets lost would widen a search.
  for (const key of Reflect.ownKeys(value)) {
    if (key === "length" && Array.isArray(value)) continue;
    Object.defineProperty(copy, key, {
      value: copyValue(Reflect.get(value, key), depth + 1),
      enumerable: Object.prototype.propertyIsEnumerable.call(value, key),
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

/**
 * A copy that shares nothing with the caller's data, and that providers accept and refuse as they would the original.
 * `structuredClone` is not: it makes plain objects of class instances. What can't be read is returned as it is.
 */
export function copyArgument<T>(value: T): T {
  try {
    return copyValue(value, 0) as T;
  } catch {
    return value;
  }
}
