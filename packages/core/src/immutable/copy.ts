/**
 * Returns a deeply frozen copy of plain data of any depth.
 *
 * - Dates, URLs, bytes, maps and sets are copied but not frozen. Bytes of any kind (e.g. a `Buffer`) become a
 *   `Uint8Array`.
 * - Other values (e.g. instances of a class) aren't copied: the copy has the same instances.
 */
export const frozenCopy = <T>(value: T): T => copyOf(value, true) as T;

/**
 * Returns a deep copy of plain data, which isn't frozen. Instances of a class aren't copied: the copy has the same
 * instances.
 */
export const plainCopy = <T>(value: T): T => copyOf(value, false) as T;

/** A new list, map, set or object to which the elements of its original are still to be copied. */
interface Unfilled {
  readonly original: object;
  readonly made: object;
}

// Not recursive: a caller's value can be nested deeper than the call stack allows. Such a value is refused later.
function copyOf(value: unknown, freezes: boolean): unknown {
  /** The copies, by original object. An object that occurs several times, or in itself, is copied once. */
  const copies = new Map<object, object>();
  const unfilled: Unfilled[] = [];
  const copied = (part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return part;
    const known = copies.get(part);
    if (known !== undefined) return known;
    const made = emptyCopy(part);
    if (made === undefined) return part;
    copies.set(part, made);
    unfilled.push({ original: part, made });
    return made;
  };
  const copy = copied(value);
  for (let next = unfilled.pop(); next !== undefined; next = unfilled.pop()) {
    fill(next, copied);
    if (freezes && isFreezable(next.made)) Object.freeze(next.made);
  }
  return copy;
}

function fill({ original, made }: Unfilled, copied: (part: unknown) => unknown): void {
  if (made instanceof Map) {
    for (const [key, part] of original as typeof made) made.set(copied(key), copied(part));
  } else if (made instanceof Set) {
    for (const part of original as typeof made) made.add(copied(part));
  } else if (Array.isArray(made)) {
    for (const part of original as typeof made) made.push(copied(part));
  } else if (isFreezable(made)) {
    // Copied field by field: V8 takes several times as long to freeze an object made by a spread. Symbols are copied, too, so
    // stores can refuse them.
    const fields: Readonly<Record<PropertyKey, unknown>> = original as never;
    for (const key of Object.keys(original)) setField(made, key, copied(fields[key]));
    for (const key of Object.getOwnPropertySymbols(original))
      if (isEnumerable.call(original, key)) setField(made, key, copied(fields[key]));
  }
}

const isFreezable = (made: object): boolean =>
  Array.isArray(made) || Object.getPrototypeOf(made) === Object.prototype;

const isEnumerable = Object.prototype.propertyIsEnumerable;

function setField(made: object, key: PropertyKey, value: unknown): void {
  if (key !== "__proto__") (made as Record<PropertyKey, unknown>)[key] = value;
  // Defined and not assigned, because assigning `__proto__` would set the object's prototype.
  else Object.defineProperty(made, key, { value, enumerable: true, writable: true, configurable: true });
}

/**
 * Returns a copy of a list, map, set or object without its elements, or a whole copy of a date, URL or bytes. Returns
 * `undefined` if the value isn't plain data.
 */
function emptyCopy(value: object): object | undefined {
  if (Array.isArray(value)) return [];
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return {};
  if (prototype === Date.prototype) return new Date((value as Date).getTime());
  if (prototype === URL.prototype) return new URL((value as URL).href);
  if (prototype === Map.prototype) return new Map();
  if (prototype === Set.prototype) return new Set();
  // `Uint8Array` includes `Buffer`.
  return value instanceof Uint8Array ? new Uint8Array(value) : undefined;
}
