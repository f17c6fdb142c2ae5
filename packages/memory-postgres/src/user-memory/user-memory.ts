import { createMemoryStorageError, MemorySetupError, parseOptions } from "@jaf/memory/adapter";
import type { UserMemoryOptions, UserMemoryStore } from "@jaf/user-memory";
import {
  bindOptions,
  defineUserMemory,
  type UserMemoryBackend,
  userMemoryOptionsSchema,
} from "@jaf/user-memory/adapter";
import * as z from "zod";
import type { PostgresClient, SqlClient } from "../client/clients.ts";
import { connectionShape, schemaShape, tableNameSchema } from "../config.ts";
import { toMemoryError } from "../errors.ts";
import { migrateGroups, printGroups } from "../migrations/migrator.ts";
import { createUserMemoryTables, userMemoryTables } from "../migrations/user-memory.ts";
import { openStore } from "../open-store.ts";
import type { ResolvedNames } from "../table-names.ts";
import { createJobs } from "./jobs.ts";
import { createMatching } from "./matching.ts";
import { createNearest } from "./nearest.ts";
import { createReads } from "./reads.ts";
import { createWrites } from "./writes.ts";

const WHAT = "Postgres user memory configuration";

const tablesShape = {
  /** The start of the tables' names. Default `"user_memory"`. */
  tableName: tableNameSchema.default("user_memory"),
  ...schemaShape,
};

const tablesSchema = z.strictObject(tablesShape);

/** Selects the tables of user memory. `tableName` may contain only lower-case letters, digits and underscores. */
export type PostgresUserMemoryTables = z.input<typeof tablesSchema>;

const ownShape = {
  /** Not needed. It is accepted, so a configuration for conversations can be used for user memory. */
  type: z.literal("postgres").default("postgres"),
  ...connectionShape,
  ...tablesShape,
  /**
   * Whether the extension pgvector compares vectors. `"use"`: yes, if the database has the extension when the store is
   * created. `"create"`: yes, and a missing extension is created, which needs the right to do so. `"off"`: no. A store
   * without `embed` ignores this option. Default `"use"`.
   */
  pgvector: z.enum(["use", "create", "off"]).default("use"),
};

const ownSchema = z.strictObject(ownShape);
const configSchema = z.strictObject({ ...ownShape, ...userMemoryOptionsSchema.shape });

/** The options of {@link createPostgresUserMemoryBackend}: the database and its tables. */
export interface PostgresUserMemoryBackendConfig extends z.input<typeof ownSchema> {}

/**
 * The options of {@link createPostgresUserMemory}: those of its backend, and those that every user memory store has.
 */
export interface PostgresUserMemoryConfig extends PostgresUserMemoryBackendConfig, UserMemoryOptions {}

type PostgresUserMemoryBackendSettings = z.output<typeof ownSchema>;

interface PostgresUserMemorySettings {
  readonly own: PostgresUserMemoryBackendSettings;
  readonly options: UserMemoryOptions;
}

/**
 * Splits the configuration into the settings of the backend and the options of user memory. Throws a `TypeError` if a
 * field is invalid.
 */
function parseConfig(config: PostgresUserMemoryConfig): PostgresUserMemorySettings {
  const given = bindOptions(configSchema, config);
  parseOptions(configSchema, given, WHAT);
  const isOption = (field: string): boolean => field in userMemoryOptionsSchema.shape;
  const fields = Object.entries(given);
  return {
    own: ownSchema.parse(Object.fromEntries(fields.filter(([field]) => !isOption(field)))),
    options: Object.fromEntries(fields.filter(([field]) => isOption(field))),
  };
}

/** Returns the settings of the backend with their defaults. Throws a `TypeError` if a field is invalid. */
const parseBackendConfig = (config: PostgresUserMemoryBackendConfig): PostgresUserMemoryBackendSettings =>
  parseOptions(ownSchema, bindOptions(ownSchema, config), WHAT);

/** Returns the options with their defaults. Throws a `TypeError` if an option is invalid. */
const parseTables = (options: PostgresUserMemoryTables): z.output<typeof tablesSchema> =>
  parseOptions(tablesSchema, options, WHAT);

interface Opening {
  readonly settings: PostgresUserMemoryBackendSettings;
  readonly client: PostgresClient | undefined;
  /** The name of the exported function that opens the store, for error messages. */
  readonly operation: string;
}

async function preparePgvector(sql: SqlClient, { settings, operation }: Opening) {
  if (settings.pgvector === "off") return undefined;
  return settings.pgvector === "create" ? createPgvector(sql, operation) : findPgvector(sql);
}

const openBackend = (opening: Opening): Promise<UserMemoryBackend> =>
  openStore({ ...opening, group: userMemoryTables }, async ({ sql, names, close }) => {
    const pgvector = await preparePgvector(sql, opening);
    return createUserMemoryBackend({ sql, names, pgvector, close });
  });

/**
 * Creates a store for facts about users in Postgres or PGlite. Creates the tables if they are missing. `client` is a
 * connected `Client` or a `Pool` of `pg`, or a PGlite instance. Closing the store doesn't close `client`. Without
 * `client`, the store opens a pool.
 *
 * With a `Client`, calls within a transaction of the application are part of that transaction. With PGlite this is
 * impossible: a call in the callback of `PGlite.transaction()` would wait for the end of the transaction, and so
 * deadlock.
 *
 * Rejects with a `TypeError` for an invalid configuration, and with a `MemorySetupError` if the database can't be
 * reached or its tables can't be created.
 *
 * @example
 * ```ts
 * import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
 * import { Pool } from "pg";
 *
 * const memory = await createPostgresUserMemory(
 *   { schema: "memory", auditKey: process.env["AUDIT_KEY"] },
 *   new Pool(),
 * );
 * await memory.remember("user-456", "Is allergic to peanuts");
 * const facts = await memory.recall("user-456", "Which snacks may I offer?");
 * ```
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
 * Opens the backend of {@link createPostgresUserMemory} alone, for applications that wrap it. Pass the wrapped backend
 * and the options of user memory to `defineUserMemory`. `config` has only the options of the backend. `client` and the
 * errors are those of `createPostgresUserMemory`. If you don't use `embed`, set `pgvector: "off"`.
 *
 * @example
 * ```ts
 * import { createPostgresUserMemoryBackend } from "@jaf/memory-postgres/user-memory";
 * import { defineUserMemory } from "@jaf/user-memory";
 * import { mapFacts, type TextCodec } from "@jaf/user-memory/adapter";
 * import { Pool } from "pg";
 *
 * declare const encryption: TextCodec;
 *
 * const backend = await createPostgresUserMemoryBackend({ pgvector: "off" }, new Pool());
 * const memory = defineUserMemory(mapFacts(backend, encryption), { auditKey: process.env["AUDIT_KEY"] });
 * ```
 */
export async function createPostgresUserMemoryBackend(
  config: PostgresUserMemoryBackendConfig = {},
  client?: PostgresClient,
): Promise<UserMemoryBackend> {
  const settings = parseBackendConfig(config);
  return openBackend({ settings, client, operation: "createPostgresUserMemoryBackend" });
}

/** Returns the quoted schema of the extension pgvector, or `undefined` if the database doesn't have the extension. */
export async function findPgvector(client: SqlClient): Promise<string | undefined> {
  const [row] = await client.query({
    text: `SELECT quote_ident(nspname)::text AS schema FROM pg_extension
      JOIN pg_namespace AS namespace ON namespace.oid = extnamespace WHERE extname = 'vector'`,
    values: [],
  });
  return row?.["schema"] ?? undefined;
}

/**
 * Creates the extension pgvector if it is missing, and returns its quoted schema. Rejects with a `MemorySetupError` if
 * it can't be created.
 */
async function createPgvector(client: SqlClient, operation: string): Promise<string | undefined> {
  const found = await findPgvector(client);
  if (found !== undefined) return found;
  try {
    await client.script("CREATE EXTENSION IF NOT EXISTS vector");
  } catch (thrown) {
    // Concurrent calls can collide. If so, the other call has created the extension.
    const made = await findPgvector(client).catch(() => undefined);
    if (made !== undefined) return made;
    const { _tag, cause } = toMemoryError(operation, thrown);
    if (_tag === "MemoryConnectionError") throw thrown;
    const remedy =
      "pgvector can't be created; install it on the server and let this user create it, or omit `pgvector`";
    throw new MemorySetupError(createMemoryStorageError(operation, remedy, { provider: "postgres", cause }));
  }
  return findPgvector(client);
}

export interface UserMemoryBackendOptions {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
  /** The quoted schema of pgvector. Absent: vectors are compared without pgvector. */
  readonly pgvector?: string | undefined;
  /** Closes the pool if the store opened it. A client that the application passed in stays open. */
  readonly close: () => Promise<void>;
}

/** Creates the backend of user memory on Postgres. Each call is one statement, except for some calls of `nearest`. */
export function createUserMemoryBackend({
  sql,
  names,
  pgvector,
  close,
}: UserMemoryBackendOptions): UserMemoryBackend {
  const tables = createUserMemoryTables(names);
  return {
    name: "postgres",
    ...createReads(sql, tables),
    ...createWrites(sql, { names, pgvector: pgvector !== undefined }),
    match: createMatching(sql, tables),
    nearest: createNearest(sql, { tables, pgvector }),
    jobs: createJobs(sql, tables),
    close,
    toMemoryError,
  };
}

/**
 * Creates or updates the tables for facts about users. `createPostgresUserMemory` does this automatically, unless its
 * option `migrate` is false. Any number of processes may call this function at the same time. Rejects with a
 * `TypeError` for an invalid option, and with a `MemorySetupError` if the tables can't be created.
 *
 * @example
 * ```ts
 * import { createPostgresUserMemory, migrate } from "@jaf/memory-postgres/user-memory";
 * import { Pool } from "pg";
 *
 * const pool = new Pool();
 * await migrate(pool, { schema: "memory" });
 * const memory = await createPostgresUserMemory({ schema: "memory", migrate: false }, pool);
 * ```
 */
export async function migrate(client: PostgresClient, options: PostgresUserMemoryTables = {}): Promise<void> {
  await migrateGroups(client, [userMemoryTables], parseTables(options));
}

/**
 * Returns the SQL of {@link migrate} as a script for `psql`, for databases that the application must not change. Throws
 * a `TypeError` for an invalid option.
 *
 * @example
 * ```ts
 * import { printMigrations } from "@jaf/memory-postgres/user-memory";
 *
 * process.stdout.write(printMigrations({ schema: "memory" }));
 * ```
 */
export const printMigrations = (options: PostgresUserMemoryTables = {}): string =>
  printGroups([userMemoryTables], parseTables(options));
