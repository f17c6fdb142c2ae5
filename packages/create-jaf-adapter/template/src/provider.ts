import { defineMemoryProvider, parseOptions, type VersionedMemoryProvider } from "@jaf/memory/adapter";
import { openMyStoreBackend } from "./backend.ts";
import { configSchema, type MyStoreConfig } from "./config.ts";

/**
 * Opens a provider that stores conversations in MyStore. Rejects with a `TypeError` that names the field if the
 * configuration is invalid.
 */
export async function createMyStoreProvider(config: MyStoreConfig): Promise<VersionedMemoryProvider> {
  const options = parseOptions(configSchema, config, "MyStore provider configuration");
  return defineMemoryProvider(await openMyStoreBackend(options));
}
