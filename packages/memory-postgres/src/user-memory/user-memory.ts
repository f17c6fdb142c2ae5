import { defineUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import { adaptClient, type PostgresClient } from "../client.ts";
import { prepareTables } from "../migrator/migrate.ts";
import { openPool } from "../pool.ts";
import { toSetupError } from "../setup-error.ts";
import type { SqlClient } from "../sql-client.ts";
import { createPostgresUserMemoryBackend } from "./backend.ts";
import { type PostgresUserMemoryConfig, type PostgresUserMemorySettings, parseConfig } from "./config.ts";
import { userMemoryMigrations } from "./migrations.ts";
import { createPgvector, findPgvector } from "./pgvector.ts";

const OPERATION = "createPostgresUserMemory";

async function preparePgvector(sql: SqlClient, { own, options }: PostgresUserMemorySettings) {
  if (options.embed === undefined || own.pgvector === "off") return undefined;
  return own.pgvector === "create" ? createPgvector(sql, OPERATION) : findPgvector(sql);
}

/**
 * Keeps facts about users in Postgres or PGlite, and creates the tables if they are missing. `client` is a connected
 * `Client` or a `Pool` of `pg`, or a PGlite instance, and stays open when the store is closed. Without one, a pool is
 * opened by the configuration.
 *
 * With a `Client`, calls within a transaction of the application belong to it. With PGlite they can't: in the callback of
 * `PGlite.transaction()` every call of the store would wait for that transaction to end, and so for itself.
 *
 * Rejects with a `TypeError` for an invalid configuration, and with a `MemorySetupError` when the database can't be
 * reached or its tables can't be created.
 */
export async function createPostgresUserMemory(
  config: PostgresUserMemoryConfig = {},
  client?: PostgresClient,
): Promise<UserMemoryStore> {
  const settings = parseConfig(config);
  const { own, options } = settings;
  const opened = client === undefined ? await openPool(own, OPERATION) : { client, close: async () => {} };
  try {
    const sql = adaptClient(opened.client);
    const names = await prepareTables(sql, userMemoryMigrations, { ...own, operation: OPERATION });
    const pgvector = await preparePgvector(sql, settings);
    const backend = createPostgresUserMemoryBackend({ sql, names, pgvector, close: opened.close });
    return defineUserMemory(backend, options);
  } catch (thrown) {
    await opened.close().catch(() => {}); // What went wrong first is what helps.
    throw toSetupError(OPERATION, thrown);
  }
}
