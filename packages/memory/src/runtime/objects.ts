import { isUint8Array } from "./bytes.ts";

/** An object that isn't a list, for reading its fields. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object that is no instance of a class. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Sets a value as the newest of the map, and removes the oldest ones beyond `limit`. */
export function setBounded<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}

/** The fields that can't be `undefined`, and the others as optional ones. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the fields whose value is `undefined`. */
export function present<T extends object>(fields: T): Present<T> {
  // Not by assignment, by which a field `__proto__` would become the prototype.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}

type Copy = Record<PropertyKey, unknown>;

function forward(copy: Copy, object: object, key: PropertyKey, descriptor: PropertyDescriptor): void {
  const value: unknown = descriptor.value;
  // Bound, since a method of a class needs its own instance; a getter may answer differently each time.
  const forwarded: PropertyDescriptor =
    typeof value === "function"
      ? { value: value.bind(object), writable: true }
      : { get: (): unknown => Reflect.get(object, key) };
  Object.defineProperty(copy, key, { ...forwarded, enumerable: true, configurable: true });
}

/**
 * The object with some of its methods replaced. All its other members stay available, with their types; it may be
 * an object or an instance of a class.
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
