import type { MemoryAdapter } from "./adapter.ts";
import { parseAdapter } from "./adapter-schema.ts";
import { inMemoryAdapter } from "./built-in.ts";

const registered = new Map<string, MemoryAdapter>([[inMemoryAdapter.type, inMemoryAdapter]]);

export const registeredAdapter = (type: string): MemoryAdapter | undefined => registered.get(type);

/**
 * Makes a backend known to `createMemoryProvider` and `JAF_MEMORY_TYPE` under its type: one whose package has a name
 * of its own, or one in a bundled application, where packages can't be found by name. It goes before an installed
 * package. Returns a function that takes it back.
 *
 * Throws a `TypeError` for what is no adapter, and for a type that another adapter has.
 */
export function registerMemoryAdapter<Config extends object, Client>(
  adapter: MemoryAdapter<Config, Client>,
): () => void {
  const parsed = parseAdapter(adapter);
  const { type } = parsed;
  const known = registered.get(type);
  if (known !== undefined && known !== parsed) {
    throw new TypeError(`Another memory adapter is registered for "${type}". Take that one back first.`);
  }
  if (known === undefined) registered.set(type, parsed);
  return () => {
    if (type !== inMemoryAdapter.type && registered.get(type) === parsed) registered.delete(type);
  };
}
