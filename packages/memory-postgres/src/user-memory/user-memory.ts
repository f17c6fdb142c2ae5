import type { UserMemoryStore } from "@jaf/user-memory";
import { defineUserMemory, type UserMemoryBackend } from "@jaf/user-memory/adapter";
import { adaptClient } from "../client/adapt-client.ts";
import type { PostgresClient } from "../client/clients.ts";
import type { SqlClient } from "../client/port.ts";
import { toSetupError } from "../errors.ts";
import { prepareTables } from "../migrator/migrate.ts";
import { openPool } from "../pool.ts";
import { createUserMemoryBackend } from "./backend.ts";
import {
  type PostgresUserMemoryBackendConfig,
  type PostgresUserMemoryBackendSettings,
  type PostgresUserMemoryConfig,
  parseBackendConfig,
  parseConfig,
} from "./config.ts";
import { userMemoryMigrations } from "./migrations.ts";
import { createPgvector, findPgvector } from "./pgvector.ts";

interface Opening {
  readonly settings: PostgresUserMemoryBackendSettings;
  readonly client: PostgresClient | undefined;
  /** The factory, for errors. */
  readonly operation: string;
}

async function preparePgvector(sql: SqlClient, { settings, operation }: Opening) {
  if (settings.pgvector === "off") return undefined;
  return settings.pgvector === "create" ? createPgvector(sql, operation) : findPgvector(sql);
}

async function openBackend(opening: Opening): Promise<UserMemoryBackend> {
  const { settings, client, operation } = opening;
  const opened =
    client === undefined ? await openPool(settings, operation) : { client, close: async () => {} };
  try {
    const sql = adaptClient(opened.client);
    const names = await prepareTables(sql, userMemoryMigrations, { ...settings, operation });
    const pgvector = await preparePgvector(sql, opening);
    return createUserMemoryBackend({ sql, names, pgvector, close: opened.close });
  } catch (thrown) {
    await opened.close().catch(() => {}); // What went wrong first is what helps.
    throw toSetupError(operation, thrown);
  }
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
  const { own, options } = parseConfig(config);
  const settings = options.embed === undefined ? { ...own, pgvector: "off" as const } : own;
  const backend = await openBackend({ settings, client, operation: "createPostgresUserMemory" });
  return defineUserMemory(backend, options);
}

/**
 * The storage port of {@link createPostgresUserMemory} by itself, to be wrapped before `defineUserMemory` makes a store of
 * it: what every store can be given is told to that. The same arguments and errors. Where no store will `embed`, say
 * `pgvector: "off"`.
 */
export async function createPostgresUserMemoryBackend(
  config: PostgresUserMemoryBackendConfig = {},
  client?: PostgresClient,
): Promise<UserMemoryBackend> {
  const settings = parseBackendConfig(config);
  return openBackend({ settings, client, operation: "createPostgresUserMemoryBackend" });
}
