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
  /** The beginning of the tables' names. Default `"user_memory"`. */
  tableName: tableNameSchema.default("user_memory"),
  ...schemaShape,
};

const tablesSchema = z.strictObject(tablesShape);

/** Which tables; names that hold SQL are refused. */
export type PostgresUserMemoryTables = z.input<typeof tablesSchema>;

const ownShape = {
  type: z.literal("postgres").default("postgres"),
  ...connectionShape,
  ...tablesShape,
  /**
   * Whether vectors are compared by the extension pgvector. `"use"`, the default: if the database has it when the store is
   * created. `"create"`: it is created first, which takes the right to do so. `"off"`: never. A store asks only with `embed`.
   */
  pgvector: z.enum(["use", "create", "off"]).default("use"),
};

const ownSchema = z.strictObject(ownShape);
const configSchema = z.strictObject({ ...ownShape, ...userMemoryOptionsSchema.shape });

/** Where the facts are kept. */
export type PostgresUserMemoryBackendConfig = z.input<typeof ownSchema>;

/** Where the facts are kept, and what every store of user memory can be given. */
export type PostgresUserMemoryConfig = PostgresUserMemoryBackendConfig & UserMemoryOptions;

type PostgresUserMemoryBackendSettings = z.output<typeof ownSchema>;

interface PostgresUserMemorySettings {
  readonly own: PostgresUserMemoryBackendSettings;
  readonly options: UserMemoryOptions;
}

/** Throws a `TypeError` that names the field and what was expected, and never the value. */
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

/** Throws as {@link parseConfig}. */
const parseBackendConfig = (config: PostgresUserMemoryBackendConfig): PostgresUserMemoryBackendSettings =>
  parseOptions(ownSchema, bindOptions(ownSchema, config), WHAT);

/** Throws as {@link parseConfig}. */
const parseTables = (options: PostgresUserMemoryTables): z.output<typeof tablesSchema> =>
  parseOptions(tablesSchema, options, WHAT);

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
  openStore({ ...opening, group: userMemoryTables }, async ({ sql, names, close }) => {
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

export interface UserMemoryBackendOptions {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
  /** The schema of pgvector, quoted; absent: vectors are compared without it. */
  readonly pgvector?: string | undefined;
  /** Closes what was opened for this backend. */
  readonly close: () => Promise<void>;
}

/** The storage port on Postgres: one statement, one round trip for each call. */
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
 * Creates or updates the tables, as `createPostgresUserMemory` does by itself unless `migrate: false`. Any number of
 * processes may call it at once. Rejects with a `MemorySetupError`.
 */
export async function migrate(client: PostgresClient, options: PostgresUserMemoryTables = {}): Promise<void> {
  await migrateGroups(client, [userMemoryTables], parseTables(options));
}

/** What `migrate` would run, as a script for `psql`: for databases whose schema the application may not change. */
export const printMigrations = (options: PostgresUserMemoryTables = {}): string =>
  printGroups([userMemoryTables], parseTables(options));
