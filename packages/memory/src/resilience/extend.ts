import { extendObject } from "../extend-object.ts";
import type { MemoryProvider } from "../provider.ts";
import type { VersionedMemoryProvider } from "../versioned-provider.ts";

/**
 * The provider with some of its methods replaced. Everything else of it, be it an object or an instance of a class,
 * stays reachable, with its type.
 */
export const extendProvider = <P extends MemoryProvider>(
  provider: P,
  methods: Partial<VersionedMemoryProvider>,
): P => extendObject(provider, methods);
