import { createMemoryStorageError, MemorySetupError } from "@jaf/memory/adapter";
import type { UserMemoryStore } from "@jaf/user-memory";
import { defineUserMemory, type UserMemoryBackend } from "@jaf/user-memory/adapter";
import type { PostgresClient } from "../client/clients.ts";
import type { SqlClient } from "../client/port.ts";
import { toMemoryError } from "../errors.ts";
import { userMemoryTables } from "../migrations/user-memory.ts";
import { openTables } from "../open-tables.ts";
import { createUserMemoryBackend } from "./backend.ts";
import {
  type PostgresUserMemoryBackendConfig,
  type PostgresUserMemoryBackendSettings,
  type PostgresUserMemoryConfig,
  parseBackendConfig,
  parseConfig,
} from "./config.ts";

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

const openBackend = (opening: Opening): Promise<UserMemoryBackend> =>
  openTables({ ...opening, group: userMemoryTables }, async ({ sql, names, close }) => {
    const pgvector = await preparePgvector(sql, opening);
    return createUserMemoryBackend({ sql, names, pgvector, close });
  });

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

/** The schema of the extension, quoted; `undefined` where the database doesn't have it. */
export async function findPgvector(client: SqlClient): Promise<string | undefined> {
  const [row] = await client.query({
    text: `SELECT quote_ident(nspname)::text AS schema FROM pg_extension
      JOIN pg_namespace AS namespace ON namespace.oid = extnamespace WHERE extname = 'vector'`,
    values: [],
  });
  return row?.["schema"] ?? undefined;
}

/** As {@link findPgvector}; creates it if it is missing. Rejects with a `MemorySetupError` where that is not possible. */
async function createPgvector(client: SqlClient, operation: string): Promise<string | undefined> {
  const found = await findPgvector(client);
  if (found !== undefined) return found;
  try {
    await client.script("CREATE EXTENSION IF NOT EXISTS vector");
  } catch (thrown) {
    // Two at once can collide; then the other one has made it.
    const made = await findPgvector(client).catch(() => undefined);
    if (made !== undefined) return made;
    const { _tag, cause } = toMemoryError(operation, thrown);
    if (_tag === "MemoryConnectionError") throw thrown;
    const remedy =
      "pgvector can't be created; install it on the server and let this user create it, or leave `pgvector` out";
    throw new MemorySetupError(createMemoryStorageError(operation, remedy, { provider: "postgres", cause }));
  }
  return findPgvector(client);
}
