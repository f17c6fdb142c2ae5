import { defineMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { createPostgresBackend } from "./backend.ts";
import { adaptClient, type PostgresClient } from "./client.ts";
import { type PostgresConfig, parseConfig } from "./config.ts";
import { conversationMigrations } from "./migrator/conversations.ts";
import { prepareTables } from "./migrator/migrate.ts";
import { openPool } from "./pool.ts";
import { toSetupError } from "./setup-error.ts";
import { createUpkeep, type Upkeep, type UpkeepOptions } from "./upkeep.ts";

export interface PostgresProvider extends MemoryProvider, Upkeep {}

const OPERATION = "createPostgresProvider";

function extend(provider: MemoryProvider, parts: Omit<UpkeepOptions, "isClosed">): PostgresProvider {
  let closed = false;
  return {
    ...provider,
    ...createUpkeep({ ...parts, isClosed: () => closed }),
    close: () => {
      closed = true;
      return provider.close();
    },
  };
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
  const settings = parseConfig(config);
  const opened =
    client === undefined ? await openPool(settings, OPERATION) : { client, close: async () => {} };
  try {
    const sql = adaptClient(opened.client);
    const names = await prepareTables(sql, conversationMigrations, { ...settings, operation: OPERATION });
    const provider = defineMemoryProvider(createPostgresBackend({ sql, names, close: opened.close }));
    return extend(provider, { sql, names });
  } catch (thrown) {
    await opened.close().catch(() => {}); // What went wrong first is what helps.
    throw toSetupError(OPERATION, thrown);
  }
}
