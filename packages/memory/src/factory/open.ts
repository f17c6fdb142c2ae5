import { adapterFailure, type Setup } from "../adapter/configuration.ts";
import { createMemoryStorageError, type MemoryErrorUnion } from "../errors.ts";
import type { MemoryProvider } from "../provider.ts";
import { MemorySetupError } from "../setup-error.ts";

/**
 * Translates a rejection of the adapter. The adapter may use another copy of this package, whose errors
 * have another class. A `TypeError` means an invalid client; one with a code comes from Node, and may contain the value.
 */
function setupFailure(setup: Setup, thrown: unknown): unknown {
  if (thrown instanceof MemorySetupError) return thrown;
  if (thrown instanceof TypeError && !("code" in thrown)) return thrown;
  const foreign = thrown instanceof Error && thrown.name === "MemorySetupError" && "error" in thrown;
  if (foreign) return new MemorySetupError(thrown.error as MemoryErrorUnion);
  return adapterFailure(setup, "opened its provider", thrown);
}

/** `config` has passed the adapter's schema. Rejects with a `MemorySetupError` for whatever `create` throws. */
export async function openProvider(
  setup: Setup,
  config: object,
  clients: Readonly<Record<string, unknown>> | null,
): Promise<MemoryProvider> {
  const { adapter, operation } = setup;
  // A type may be the name of something that every object inherits.
  const client = clients !== null && Object.hasOwn(clients, adapter.type) ? clients[adapter.type] : undefined;
  let provider: unknown;
  try {
    provider = await (client == null ? adapter.create(config) : adapter.create(config, client));
  } catch (thrown) {
    throw setupFailure(setup, thrown);
  }
  if (typeof provider === "object" && provider !== null) return provider as MemoryProvider;
  const reason = `the adapter of type "${adapter.type}" gave no provider, but ${provider === null ? "null" : typeof provider}.`;
  throw new MemorySetupError(createMemoryStorageError(operation, reason, { provider: adapter.type }));
}
