import type { VersionedMemoryProvider } from "@jaf/memory";
import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
import type { PostgresClient } from "../client/clients.ts";
import { type PostgresConfig, parseConfig } from "../config.ts";
import { conversationTables } from "../migrations/conversations.ts";
import { openStore } from "../open-store.ts";
import { createConversationBackend } from "./backend.ts";
import { createMaintenance, type Maintenance, type MaintenanceOptions } from "./maintenance.ts";

/**
 * The provider that {@link createPostgresProvider} returns. In addition to the methods of every provider it has
 * `cleanupOldConversations`, `purgeExpired` and `getAnalytics`.
 */
export interface PostgresProvider extends VersionedMemoryProvider, Maintenance {}

function extend(
  provider: VersionedMemoryProvider,
  parts: Omit<MaintenanceOptions, "isClosed">,
): PostgresProvider {
  let closed = false;
  const { close } = provider;
  // No copy: a copy begins no turns.
  return Object.assign(provider, createMaintenance({ ...parts, isClosed: () => closed }), {
    close: () => {
      closed = true;
      return close();
    },
  });
}

interface OpenedBackend extends Omit<MaintenanceOptions, "isClosed"> {
  readonly backend: MemoryBackend;
}

async function open(
  operation: string,
  config: PostgresConfig,
  client: PostgresClient | undefined,
): Promise<OpenedBackend> {
  const opening = { settings: parseConfig(config), client, group: conversationTables, operation };
  return openStore(opening, (tables) => ({ backend: createConversationBackend(tables), ...tables }));
}

/**
 * Creates a provider that stores conversations in Postgres or PGlite. Creates the tables if they are missing. `client`
 * is a connected `Client` or a `Pool` of `pg`, or a PGlite instance. Closing the provider doesn't close `client`.
 * Without `client`, the provider opens a pool.
 *
 * With a `Client`, calls within a transaction of the application are part of that transaction. With PGlite this is
 * impossible: a call in the callback of `PGlite.transaction()` would wait for the end of the transaction, and so
 * deadlock. Call the provider before or after the transaction.
 *
 * Throws a `TypeError` for an invalid configuration, and a `MemorySetupError` if the database can't be reached or its
 * tables can't be created.
 *
 * @example
 * ```ts
 * import { createPostgresProvider } from "@jaf/memory-postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: "postgres://localhost/app" });
 * pool.on("error", (error) => console.error("Postgres:", error.message));
 *
 * const provider = await createPostgresProvider({ schema: "memory" }, pool);
 * const stored = await provider.storeMessages("conv-123", [{ role: "user", content: "Hello" }]);
 * if (!stored.success) console.error(stored.error.message);
 * ```
 */
export async function createPostgresProvider(
  config: PostgresConfig = {},
  client?: PostgresClient,
): Promise<PostgresProvider> {
  const { backend, ...parts } = await open("createPostgresProvider", config, client);
  return extend(defineMemoryProvider(backend), parts);
}

/**
 * Opens only the backend of {@link createPostgresProvider}, for applications that wrap it. A wrapper may pass any text
 * as the body of a message, except for a text with a NUL, an unpaired surrogate or a line break. The arguments and the
 * errors are the same as for `createPostgresProvider`.
 *
 * @example
 * ```ts
 * import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
 * import { createPostgresBackend } from "@jaf/memory-postgres";
 * import { Pool } from "pg";
 *
 * declare function encrypted(backend: MemoryBackend): MemoryBackend;
 *
 * const backend = await createPostgresBackend({}, new Pool());
 * const provider = defineMemoryProvider(encrypted(backend));
 * ```
 */
export async function createPostgresBackend(
  config: PostgresConfig = {},
  client?: PostgresClient,
): Promise<MemoryBackend> {
  return (await open("createPostgresBackend", config, client)).backend;
}
