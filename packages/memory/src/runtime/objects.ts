import { isUint8Array } from "./bytes.ts";
import { MAX_DEPTH } from "./depth.ts";

/** An object that isn't an array, so that its fields can be read. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether the value is an object, but not an array or another class instance. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns a copy whose arrays and plain objects can be changed. Stored data is frozen. */
export function thawed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(thawed) as T;
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, thawed(field)])) as T;
}

/**
 * Sets a value and moves its key to the end of the map. If the map then has more than `limit` values, removes values
 * from the beginning of the map.
 */
export function setBounded<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}

/** The type of `T` without `undefined` values: each field that may be `undefined` becomes optional. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns a copy of the object without the fields that are `undefined`. */
export function present<T extends object>(fields: T): Present<T> {
  // Built without assignments, because an assignment to `__proto__` would change the prototype.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}

type Copy = Record<PropertyKey, unknown>;

function forward(copy: Copy, object: object, key: PropertyKey, descriptor: PropertyDescriptor): void {
  const value: unknown = descriptor.value;
  // A method is bound to its original object, because the methods of a class need this object. A field is read from the
  // original object each time.
  const forwarded: PropertyDescriptor =
    typeof value === "function"
      ? { value: value.bind(object), writable: true }
      : { get: (): unknown => Reflect.get(object, key) };
  Object.defineProperty(copy, key, { ...forwarded, enumerable: true, configurable: true });
}

/** Returns a new object with the given `methods` and all other members of `object`, which may be a class instance. */
export function extendObject<T extends object>(object: T, methods: object): T {
  const copy: Copy = {};
  for (
    let level: object | null = object;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level) as object | null
  ) {
    for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (key !== "constructor" && !Object.hasOwn(copy, key)) forward(copy, object, key, descriptor);
    }
  }
  for (const [key, method] of Object.entries(methods)) {
    Object.defineProperty(copy, key, { value: method, writable: true, enumerable: true, configurable: true });
  }
  return copy as unknown as T;
}

// The maximum depth ends the copy of a cycle.
/** The maximum depth of a copy: deeper than any provider accepts. */
const COPIED_DEPTH = MAX_DEPTH + 10;

const isPlainArray = (value: unknown): value is unknown[] =>
  Array.isArray(value) && Object.getPrototypeOf(value) === Array.prototype;

function copyValue(value: unknown, depth: number): unknown {
  if (value instanceof Date) return new Date(value);
  if (value instanceof URL) return new URL(value);
  if (isUint8Array(value)) return new Uint8Array(value);
  // A value that is nested too deeply, or is no plain array or object, isn't copied. If the provider can't store it,
  // the provider refuses it and reports why.
  if (depth > COPIED_DEPTH || !(isPlainArray(value) || isPlainObject(value))) return value;
  const copy: object = Array.isArray(value) ? new Array<unknown>(value.length) : {};
  // Copy all properties, also hidden ones: if a condition of a query were lost, the query would find too much.
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
 * Returns a copy of an argument that shares no objects with the caller's data. If reading the value throws, returns the
 * value itself.
 */
export function copyArgument<T>(value: T): T {
  // A provider accepts or refuses the copy as it would the original. `structuredClone` can't be used because it
  // converts class instances into plain objects.
  try {
    return copyValue(value, 0) as T;
  } catch {
    return value;
  }
}
