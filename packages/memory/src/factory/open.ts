import type { MemoryAdapter } from "../adapter/adapter.ts";
import type { MemoryErrorUnion } from "../errors.ts";
import type { MemoryProvider } from "../provider.ts";
import { MemorySetupError } from "../setup-error.ts";

/** An adapter may have loaded a copy of this package of its own, whose errors are of another class. */
function ownSetupError(thrown: unknown): unknown {
  const foreign =
    thrown instanceof Error &&
    !(thrown instanceof MemorySetupError) &&
    thrown.name === "MemorySetupError" &&
    "error" in thrown;
  return foreign ? new MemorySetupError(thrown.error as MemoryErrorUnion) : thrown;
}

/** `config` has passed the adapter's schema. */
export async function openProvider(
  adapter: MemoryAdapter,
  config: object,
  clients: Readonly<Record<string, unknown>>,
): Promise<MemoryProvider> {
  // A type may be the name of something that every object inherits.
  const client = Object.hasOwn(clients, adapter.type) ? clients[adapter.type] : undefined;
  try {
    return await (client == null ? adapter.create(config) : adapter.create(config, client));
  } catch (thrown) {
    throw ownSetupError(thrown);
  }
}
