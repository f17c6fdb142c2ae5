/**
 * A copy of plain data that can't be changed, at any depth. Dates, URLs, bytes, maps and sets are copied, and not frozen:
 * nothing can be done about their methods and elements. Bytes of any kind become a `Uint8Array`. What is no plain data,
 * e.g. an instance of a class, is the application's and stays as it is.
 */
export const frozenCopy = <T>(value: T): T =>
  isPrimitive(value) ? value : (copyOf(value, { freezes: true, copies: new Map() }) as T);

/** The same, and the copy can be changed. */
export const plainCopy = <T>(value: T): T =>
  isPrimitive(value) ? value : (copyOf(value, { freezes: false, copies: new Map() }) as T);

const isPrimitive = (value: unknown): boolean => typeof value !== "object" || value === null;

interface Copying {
  readonly freezes: boolean;
  /** An object that stands in a value several times, or in itself, is copied once. */
  readonly copies: Map<object, object>;
}

function copyOf(value: unknown, copying: Copying): unknown {
  if (typeof value !== "object" || value === null) return value;
  return copying.copies.get(value) ?? copyOfObject(value, copying);
}

function copyOfObject(value: object, copying: Copying): object {
  const { freezes, copies } = copying;
  if (Array.isArray(value)) {
    const made = new Array<unknown>(value.length);
    copies.set(value, made);
    value.forEach((part, index) => {
      made[index] = copyOf(part, copying);
    });
    return freezes ? Object.freeze(made) : made;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return copyOfBuiltIn(value, prototype, copying);
  const made = {};
  copies.set(value, made);
  for (const key of Reflect.ownKeys(value)) copyField(value, made, { key, copying });
  return freezes ? Object.freeze(made) : made;
}

function copyOfBuiltIn(value: object, prototype: unknown, copying: Copying): object {
  const { copies } = copying;
  const scalar = copyOfScalar(value, prototype);
  if (scalar !== undefined) {
    copies.set(value, scalar);
    return scalar;
  }
  if (prototype === Map.prototype) {
    const made = new Map<unknown, unknown>();
    copies.set(value, made);
    for (const [key, part] of value as Map<unknown, unknown>)
      made.set(copyOf(key, copying), copyOf(part, copying));
    return made;
  }
  if (prototype !== Set.prototype) return value;
  const made = new Set<unknown>();
  copies.set(value, made);
  for (const part of value as Set<unknown>) made.add(copyOf(part, copying));
  return made;
}

/** Of one that holds no other values; a `Buffer` is bytes, too. */
function copyOfScalar(value: object, prototype: unknown): object | undefined {
  if (prototype === Date.prototype) return new Date((value as Date).getTime());
  if (prototype === URL.prototype) return new URL((value as URL).href);
  return value instanceof Uint8Array ? new Uint8Array(value) : undefined;
}

/** Symbols are kept, for whoever refuses them. */
function copyField(
  from: object,
  to: Record<PropertyKey, unknown>,
  { key, copying }: { readonly key: PropertyKey; readonly copying: Copying },
): void {
  if (!Object.prototype.propertyIsEnumerable.call(from, key)) return;
  const value = copyOf((from as Record<PropertyKey, unknown>)[key], copying);
  if (key !== "__proto__") to[key] = value;
  // Defined, so that it stays a key.
  else Object.defineProperty(to, key, { value, enumerable: true, writable: true, configurable: true });
}
