import type { MemoryAdapter } from "./adapter.ts";
import { parseAdapter } from "./adapter-schema.ts";
import { inMemoryAdapter } from "./built-in.ts";

interface Registration {
  readonly adapter: MemoryAdapter;
  /** How often, less how often it was taken back. */
  count: number;
}

const registered = new Map<string, Registration>([
  [inMemoryAdapter.type, { adapter: inMemoryAdapter, count: 1 }],
]);

export const registeredAdapter = (type: string): MemoryAdapter | undefined => registered.get(type)?.adapter;

/**
 * Makes a backend known to `createMemoryProvider` and `JAF_MEMORY_TYPE` under its type: one whose package has a name
 * of its own, or one in a bundled application, where packages can't be found by name. It goes before an installed
 * package. Returns a function that takes it back; one that was registered several times
 * stays until all of them are taken back.
 *
 * Throws a `TypeError` for what is no adapter, and for a type that another adapter has.
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
