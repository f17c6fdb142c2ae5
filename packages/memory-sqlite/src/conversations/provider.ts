import type { VersionedMemoryProvider } from "@jaf/memory";
import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
import type { SqliteConfig } from "../config.ts";
import type { SqliteDatabase } from "../database.ts";
import { openStore } from "../open-store.ts";
import { createConversationBackend } from "./backend.ts";

async function open(
  operation: string,
  config: SqliteConfig,
  database: SqliteDatabase | undefined,
): Promise<MemoryBackend> {
  const store = await openStore(config, database, operation);
  return createConversationBackend(store.database, store.close);
}

/**
 * Creates a provider that stores conversations in a SQLite file. Creates the file and its tables if they are missing.
 * Several processes may have the file open at the same time. Acknowledged writes survive a crash of the process and a
 * power cut. With `database`, which `openSqlite` returns, the provider uses that connection, and closing the provider
 * doesn't close it.
 *
 * Rejects with a `TypeError` for an invalid configuration, and with a `MemorySetupError` if the file can't be opened,
 * isn't ours, or was written by a newer version.
 *
 * @example
 * ```ts
 * import { createSqliteProvider } from "@jaf/memory-sqlite";
 *
 * const provider = await createSqliteProvider({ file: "memory.db" });
 * const stored = await provider.storeMessages("conv-123", [{ role: "user", content: "Hello" }]);
 * if (!stored.success) console.error(stored.error.message);
 * await provider.close();
 * ```
 */
export async function createSqliteProvider(
  config: SqliteConfig,
  database?: SqliteDatabase,
): Promise<VersionedMemoryProvider> {
  return defineMemoryProvider(await open("createSqliteProvider", config, database));
}

/**
 * Opens only the backend of {@link createSqliteProvider}, for applications that wrap it. The arguments and the errors
 * are the same as for `createSqliteProvider`.
 *
 * @example
 * ```ts
 * import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
 * import { createSqliteBackend } from "@jaf/memory-sqlite";
 *
 * declare function encrypted(backend: MemoryBackend): MemoryBackend;
 *
 * const backend = await createSqliteBackend({ file: "memory.db" });
 * const provider = defineMemoryProvider(encrypted(backend));
 * ```
 */
export const createSqliteBackend = (
  config: SqliteConfig,
  database?: SqliteDatabase,
): Promise<MemoryBackend> => open("createSqliteBackend", config, database);
