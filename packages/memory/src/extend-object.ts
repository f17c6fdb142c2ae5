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
