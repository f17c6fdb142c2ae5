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

/** The place of the tables. Only lower-case letters, digits and underscores are allowed in `tableName`. */
export type PostgresUserMemoryTables = z.input<typeof tablesSchema>;

const ownShape = {
  /** Accepted as in the configuration of conversations, but not needed. */
  type: z.literal("postgres").default("postgres"),
  ...connectionShape,
  ...tablesShape,
  /**
   * Whether the extension pgvector compares vectors. `"use"`: if the database has it when the store is created.
   * `"create"`: creates it first, which needs the right to do so. `"off"`: never. A store without `embed` ignores this
   * option. Default `"use"`.
   */
  pgvector: z.enum(["use", "create", "off"]).default("use"),
};

const ownSchema = z.strictObject(ownShape);
const configSchema = z.strictObject({ ...ownShape, ...userMemoryOptionsSchema.shape });

/** The options of {@link createPostgresUserMemoryBackend}: the database and its tables. */
export interface PostgresUserMemoryBackendConfig extends z.input<typeof ownSchema> {}

/** The options of {@link createPostgresUserMemory}: those of the backend, and those of every store of user memory. */
export interface PostgresUserMemoryConfig extends PostgresUserMemoryBackendConfig, UserMemoryOptions {}

type PostgresUserMemoryBackendSettings = z.output<typeof ownSchema>;

interface PostgresUserMemorySettings {
  readonly own: PostgresUserMemoryBackendSettings;
  readonly options: UserMemoryOptions;
}

/** Throws a `TypeError` that names the field and the expected value, but never contains the actual value. */
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

/** Throws the errors of {@link parseConfig}. */
const parseBackendConfig = (config: PostgresUserMemoryBackendConfig): PostgresUserMemoryBackendSettings =>
  parseOptions(ownSchema, bindOptions(ownSchema, config), WHAT);

/** Throws the errors of {@link parseConfig}. */
const parseTables = (options: PostgresUserMemoryTables): z.output<typeof tablesSchema> =>
  parseOptions(tablesSchema, options, WHAT);

interface Opening {
  readonly settings: PostgresUserMemoryBackendSettings;
  readonly client: PostgresClient | undefined;
  /** The factory's name, for errors. */
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
 * connected `Client` or a `Pool` of `pg`, or a PGlite instance. Closing the store leaves it open. Without `client`, the
 * store opens a pool.
 *
 * With a `Client`, calls within a transaction of the application are part of it. With PGlite they can't be: a call in
 * the callback of `PGlite.transaction()` would wait for the end of that transaction, and so deadlock.
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
 * Opens the storage port of {@link createPostgresUserMemory}, for wrappers. Pass the wrapped port, and the options of
 * user memory, to `defineUserMemory`. Arguments and errors are otherwise the same. If you don't use `embed`, set
 * `pgvector: "off"`.
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

/** Returns the extension's schema, quoted, or `undefined` if the database doesn't have the extension. */
export async function findPgvector(client: SqlClient): Promise<string | undefined> {
  const [row] = await client.query({
    text: `SELECT quote_ident(nspname)::text AS schema FROM pg_extension
      JOIN pg_namespace AS namespace ON namespace.oid = extnamespace WHERE extname = 'vector'`,
    values: [],
  });
  return row?.["schema"] ?? undefined;
}

/**
 * Returns the result of {@link findPgvector}, and creates the extension if it is missing. Rejects with a
 * `MemorySetupError` if that fails.
 */
async function createPgvector(client: SqlClient, operation: string): Promise<string | undefined> {
  const found = await findPgvector(client);
  if (found !== undefined) return found;
  try {
    await client.script("CREATE EXTENSION IF NOT EXISTS vector");
  } catch (thrown) {
    // Concurrent calls can collide. Then the other one has created it.
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
  /** The schema of pgvector, quoted. Without it, vectors are compared without pgvector. */
  readonly pgvector?: string | undefined;
  /** Closes what was opened for this backend. */
  readonly close: () => Promise<void>;
}

/** The storage port on Postgres. Each call is one statement in one round trip. */
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
 * Creates or updates the tables of facts about users. `createPostgresUserMemory` does this automatically, unless
 * `migrate: false`. Any number of processes may call it at the same time. Rejects with a `TypeError` for an invalid
 * option, and with a `MemorySetupError` if the tables can't be created.
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
 * Returns the SQL of {@link migrate} as a script for `psql`, for databases that the application must not change. Throws a
 * `TypeError` for an invalid option.
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
