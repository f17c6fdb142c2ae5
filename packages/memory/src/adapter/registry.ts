import type { MemoryAdapter } from "./adapter.ts";
import { parseAdapter } from "./adapter-schema.ts";
import { inMemoryAdapter } from "./built-in.ts";

interface Registration {
  readonly adapter: MemoryAdapter;
  /** How often it was registered, less how often it was unregistered. */
  count: number;
}

const registered = new Map<string, Registration>([
  [inMemoryAdapter.type, { adapter: inMemoryAdapter, count: 1 }],
]);

export const registeredAdapter = (type: string): MemoryAdapter | undefined => registered.get(type)?.adapter;

/**
 * Registers a backend under its type for `createMemoryProvider` and `JAF_MEMORY_TYPE`: needed if its package has another
 * name than the convention, and in a bundled application, where packages can't be found by name. It takes precedence over
 * an installed package. Returns a function that unregisters it; an adapter that was registered several times stays until
 * all registrations are undone.
 *
 * Throws a `TypeError` for an invalid adapter, and for a type under which another adapter is registered.
 */
export function registerMemoryAdapter<Config extends object, Client>(
  adapter: MemoryAdapter<Config, Client>,
): () => void {
  const parsed = parseAdapter(adapter);
  const { type } = parsed;
  const known = registered.get(type);
  if (known !== undefined && known.adapter !== parsed) {
    throw new TypeError(`Another memory adapter is registered for "${type}". Take that one back first.`);
  }
  const registration = known ?? { adapter: parsed, count: 0 };
  registration.count += 1;
  registered.set(type, registration);
  let undone = false;
  return () => {
    if (undone) return;
    undone = true;
    registration.count -= 1;
    if (registration.count === 0) registered.delete(type);
  };
}
