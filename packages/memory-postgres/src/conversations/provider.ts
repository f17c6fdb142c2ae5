import type { VersionedMemoryProvider } from "@jaf/memory";
import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
import type { PostgresClient } from "../client/clients.ts";
import { type PostgresConfig, parseConfig } from "../config.ts";
import { conversationTables } from "../migrations/conversations.ts";
import { openStore } from "../open-store.ts";
import { createConversationBackend } from "./backend.ts";
import { createMaintenance, type Maintenance, type MaintenanceOptions } from "./maintenance.ts";

export interface PostgresProvider extends VersionedMemoryProvider, Maintenance {}

function extend(
  provider: VersionedMemoryProvider,
  parts: Omit<MaintenanceOptions, "isClosed">,
): PostgresProvider {
  let closed = false;
  return {
    ...provider,
    ...createMaintenance({ ...parts, isClosed: () => closed }),
    close: () => {
      closed = true;
      return provider.close();
    },
  };
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
 * Keeps conversations in Postgres or PGlite, and creates the tables if they are missing. `client` is a connected
 * `Client` or a `Pool` of `pg`, or a PGlite instance, and stays open when the provider is closed. Without one, a
 * pool is opened by the configuration.
 *
 * With a `Client`, calls within a transaction of the application belong to it. With PGlite they can't: in the
 * callback of `PGlite.transaction()` every call of the provider would wait for that transaction to end, and so for
 * itself. Call the provider before or after it.
 *
 * Throws a `TypeError` for an invalid configuration, and a `MemorySetupError` when the database can't be
 * reached or its tables can't be created.
 */
export async function createPostgresProvider(
  config: PostgresConfig = {},
  client?: PostgresClient,
): Promise<PostgresProvider> {
  const { backend, ...parts } = await open("createPostgresProvider", config, client);
  return extend(defineMemoryProvider(backend), parts);
}

/**
 * The storage port of {@link createPostgresProvider}, to be wrapped: it keeps whatever text a wrapper makes of a message's
 * body, but for NUL, unpaired surrogates and line breaks. Arguments and errors are the same.
 */
export async function createPostgresBackend(
  config: PostgresConfig = {},
  client?: PostgresClient,
): Promise<MemoryBackend> {
  return (await open("createPostgresBackend", config, client)).backend;
}
