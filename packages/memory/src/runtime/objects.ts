import { isUint8Array } from "./bytes.ts";
import { MAX_DEPTH } from "./depth.ts";

/** An object that isn't an array, for reading its fields. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether the value is an object but no class instance. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Sets a value as the map's newest, and removes the oldest beyond `limit`. */
export function setBounded<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}

/** Fields that can't be `undefined` stay; the others become optional. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns a copy without the `undefined` fields. */
export function present<T extends object>(fields: T): Present<T> {
  // Not by assignment: that would make a field `__proto__` the prototype.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}

type Copy = Record<PropertyKey, unknown>;

function forward(copy: Copy, object: object, key: PropertyKey, descriptor: PropertyDescriptor): void {
  const value: unknown = descriptor.value;
  // Bound, because a class method needs its own instance. Getters are read each time.
  const forwarded: PropertyDescriptor =
    typeof value === "function"
      ? { value: value.bind(object), writable: true }
      : { get: (): unknown => Reflect.get(object, key) };
  Object.defineProperty(copy, key, { ...forwarded, enumerable: true, configurable: true });
}

/**
 * Returns the object with some methods replaced. All other members stay available, with their types. It can be a plain
 * object or a class instance.
 */
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

/** Deeper than any provider accepts; also ends cycles. */
const COPIED_DEPTH = MAX_DEPTH + 10;

const isPlainArray = (value: unknown): value is unknown[] =>
  Array.isArray(value) && Object.getPrototypeOf(value) === Array.prototype;

function copyValue(value: unknown, depth: number): unknown {
  if (value instanceof Date) return new Date(value);
  if (value instanceof URL) return new URL(value);
  if (isUint8Array(value)) return new Uint8Array(value);
  // Providers refuse this value and report why.
  if (depth > COPIED_DEPTH || !(isPlainArray(value) || isPlainObject(value))) return value;
  const copy: object = Array.isArray(value) ? new Array<unknown>(value.length) : {};
  // All properties, including hidden ones: a lost condition would widen a search.
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
 * Returns a copy that shares nothing with the caller's data. Providers accept and refuse it like the original.
 * `structuredClone` can't be used: it turns class instances into plain objects. Unreadable values are returned
 * unchanged.
 */
export function copyArgument<T>(value: T): T {
  try {
    return copyValue(value, 0) as T;
  } catch {
    return value;
  }
}
