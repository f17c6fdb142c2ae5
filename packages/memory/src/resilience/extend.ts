import type { MemoryProvider } from "../provider.ts";
import type { VersionedMemoryProvider } from "../versioned-provider.ts";

type Copy = Record<PropertyKey, unknown>;

function forward(copy: Copy, provider: object, key: PropertyKey, descriptor: PropertyDescriptor): void {
  const value: unknown = descriptor.value;
  // Bound, since a method of a class needs its own instance; a getter may answer differently each time.
  const forwarded: PropertyDescriptor =
    typeof value === "function"
      ? { value: value.bind(provider), writable: true }
      : { get: (): unknown => Reflect.get(provider, key) };
  Object.defineProperty(copy, key, { ...forwarded, enumerable: true, configurable: true });
}

/**
 * The provider with some of its methods replaced. Everything else of it, be it an object or an instance of a class,
 * stays reachable, with its type.
 */
export function extendProvider<P extends MemoryProvider>(
  provider: P,
  methods: Partial<VersionedMemoryProvider>,
): P {
  const copy: Copy = {};
  for (
    let level: object | null = provider;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level) as object | null
  ) {
    for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (key !== "constructor" && !Object.hasOwn(copy, key)) forward(copy, provider, key, descriptor);
    }
  }
  for (const [key, method] of Object.entries(methods)) {
    Object.defineProperty(copy, key, { value: method, writable: true, enumerable: true, configurable: true });
  }
  return copy as unknown as P;
}
