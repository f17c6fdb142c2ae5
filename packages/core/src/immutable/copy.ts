/**
 * A copy of plain data that can't be changed, at any depth. Dates, maps and sets are copied, and not frozen: nothing can be
 * done about their methods. What is no plain data, e.g. an instance of a class, is the application's and stays as it is.
 */
export const frozenCopy = <T>(value: T): T =>
  isPrimitive(value) ? value : (openCopy(Object.freeze)(value) as T);

/** The same, and the copy can be changed. */
export const plainCopy = <T>(value: T): T =>
  isPrimitive(value) ? value : (openCopy((made) => made)(value) as T);

const isPrimitive = (value: unknown): boolean => typeof value !== "object" || value === null;

/** An object that stands in a value several times, or in itself, is copied once. */
function openCopy(finish: (made: object) => object): (value: unknown) => unknown {
  const copies = new Map<object, object>();
  const begun = <Made extends object>(original: object, made: Made): Made => {
    copies.set(original, made);
    return made;
  };

  function copyOf(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    return copies.get(value) ?? copyOfObject(value);
  }

  function copyOfObject(value: object): object {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (Array.isArray(value)) {
      const made = begun(value, new Array<unknown>(value.length));
      value.forEach((part, index) => {
        made[index] = copyOf(part);
      });
      return finish(made);
    }
    if (prototype === Object.prototype || prototype === null) {
      const made = begun(value, {});
      for (const key of Reflect.ownKeys(value)) copyField(value, made, key);
      return finish(made);
    }
    if (prototype === Date.prototype) return begun(value, new Date((value as Date).getTime()));
    if (prototype === Map.prototype) {
      const made = begun(value, new Map<unknown, unknown>());
      for (const [key, part] of value as Map<unknown, unknown>) made.set(copyOf(key), copyOf(part));
      return made;
    }
    if (prototype !== Set.prototype) return value;
    const made = begun(value, new Set<unknown>());
    for (const part of value as Set<unknown>) made.add(copyOf(part));
    return made;
  }

  /** Symbols are kept, for whoever refuses them. Defined, so that a key `__proto__` stays a key. */
  function copyField(from: object, to: object, key: PropertyKey): void {
    if (!Object.prototype.propertyIsEnumerable.call(from, key)) return;
    const value = copyOf((from as Record<PropertyKey, unknown>)[key]);
    Object.defineProperty(to, key, { value, enumerable: true, writable: true, configurable: true });
  }

  return copyOf;
}
