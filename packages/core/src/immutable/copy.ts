/**
 * Returns a deeply frozen copy of plain data. Dates, URLs, bytes, maps and sets are copied but not frozen, because freezing
 * doesn't protect their content. Bytes of any kind become a `Uint8Array`. Other values (e.g. instances of a class) belong to
 * the application and aren't copied.
 */
export const frozenCopy = <T>(value: T): T => copyOf(value, { freezes: true, copies: new Map() }) as T;

/** Returns a deep copy of plain data that isn't frozen. Instances of a class belong to the application and aren't copied. */
export const plainCopy = <T>(value: T): T => copyOf(value, { freezes: false, copies: new Map() }) as T;

interface Copying {
  readonly freezes: boolean;
  /**
   * The finished copies, by original object. They make sure that an object that occurs several times, or in itself, is copied
   * once.
   */
  readonly copies: Map<object, object>;
}

function copyOf(value: unknown, copying: Copying): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = copying.copies.get(value);
  if (known !== undefined) return known;
  const made = emptyCopy(value);
  if (made === undefined) return value;
  copying.copies.set(value, made);
  if (made instanceof Map) {
    for (const [key, part] of value as typeof made) made.set(copyOf(key, copying), copyOf(part, copying));
  } else if (made instanceof Set) {
    for (const part of value as typeof made) made.add(copyOf(part, copying));
  } else if (Array.isArray(made)) {
    for (const part of value as typeof made) made.push(copyOf(part, copying));
    if (copying.freezes) Object.freeze(made);
  } else if (Object.getPrototypeOf(made) === Object.prototype) {
    // Copied field by field: V8 takes several times as long to freeze an object made by a spread. Symbols are copied, too, so
    // stores can refuse them.
    for (const key of Reflect.ownKeys(value))
      if (isEnumerable.call(value, key)) setField(made, key, copyOf(Reflect.get(value, key), copying));
    if (copying.freezes) Object.freeze(made);
  }
  return made;
}

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
