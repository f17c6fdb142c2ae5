import type { MemoryProvider } from "../provider.ts";
import type { MemoryProviderHarness } from "./harness.ts";
import type { Check } from "./spec.ts";

/** Runs a check on a store of its own, and cleans up whatever the outcome. */
export async function runCheck(harness: MemoryProviderHarness, check: Check): Promise<void> {
  const store = await harness.createStore();
  const connections = new Set<MemoryProvider>();
  const multiple = harness.capabilities?.multipleConnections ?? true;
  const cleanUp = async () => {
    await Promise.all([...connections].map((connection) => connection.close()));
    await store.dispose();
  };
  try {
    await check({
      provider: store.provider,
      connect: async () => {
        if (multiple !== true || store.connect === undefined) return store.provider;
        const connection = await store.connect();
        connections.add(connection);
        return connection;
      },
      disconnect: async (connection) => {
        if (connections.delete(connection)) await connection.close();
      },
    });
  } catch (broken) {
    // A store that is broken may also fail to clean up: what broke first is what to report.
    await cleanUp().catch(() => {});
    throw broken;
  }
  await cleanUp();
}
