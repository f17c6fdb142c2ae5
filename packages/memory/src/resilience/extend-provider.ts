import { extendObject } from "../extend-object.ts";
import type { MemoryProvider } from "../provider.ts";
import type { VersionedMemoryProvider } from "../versioned-provider.ts";

/**
 * The provider with some of its methods replaced. All its other members stay available, with their types; it may be
 * an object or an instance of a class.
 */
export const extendProvider = <P extends MemoryProvider>(
  provider: P,
  methods: Partial<VersionedMemoryProvider>,
): P => extendObject(provider, methods);
