import type { ConnectionOptions } from "node:tls";
import { parseOptions } from "@jaf/memory/adapter";
import * as z from "zod";
import { TABLE_NAME_PATTERN } from "./table-names.ts";

// Postgres accepts neither NUL nor an unpaired surrogate in UTF-8.
const NOT_IN_A_NAME = /[\0\p{Surrogate}]/u;

const RESERVED_SCHEMA = /^(pg_.*|information_schema|\$user)$/s;

const MOST_PARTITIONS = 128;

/** The schema for `tableName`, the start of the tables' names. */
export const tableNameSchema = z.string().regex(TABLE_NAME_PATTERN, {
  error: "expected 1 to 40 lower-case letters, digits and underscores, the first not a digit",
});

const schemaNameSchema = z
  .string()
  .refine((name) => name.length > 0 && Buffer.byteLength(name) <= 63 && !NOT_IN_A_NAME.test(name), {
    error: "expected a schema name of 1 to 63 bytes, without NUL and unpaired surrogates",
  })
  .refine((name) => !RESERVED_SCHEMA.test(name), {
    error:
      "expected a schema of your own: information_schema, $user and names that begin with pg_ are reserved in Postgres",
  });

export const schemaShape = {
  /**
   * The schema of the tables. A missing schema is created. Default: the first existing schema of the connection's
   * `search_path` when the provider is created (`current_schema()`). No other schema of the `search_path` is searched.
   */
  schema: schemaNameSchema.optional(),
};

const tablesShape = {
  /** The name of the main table, and the start of the other tables' names. Default `"conversations"`. */
  tableName: tableNameSchema.default("conversations"),
  ...schemaShape,
  /**
   * The number of partitions of new tables, from 1 to 128. A hash of the conversation id selects the partition.
   * Default: new tables have no partitions, and existing tables are used as they are. If existing tables have another
   * number of partitions than this field, an error is thrown.
   */
  partitions: z
    .int()
    .min(1)
    .max(MOST_PARTITIONS, {
      error: `expected at most ${MOST_PARTITIONS}: a listing locks each partition and each of its indexes, and servers have memory for only a few thousand locks`,
    })
    .optional(),
};

const TABLE_GROUPS = [
  "conversations",
  "message-index",
  "blobs",
  "cache",
  "turn-log",
  "ledger",
  "inbox",
  "timers",
] as const;

export type TableGroupName = (typeof TABLE_GROUPS)[number];

const tablesSchema = z
  .strictObject({
    /** The groups of tables to create, in this order. Default `["conversations"]`. */
    groups: z.array(z.enum(TABLE_GROUPS)).min(1).readonly().default(["conversations"]),
    ...tablesShape,
  })
  .refine(({ groups, partitions }) => partitions === undefined || groups.includes("conversations"), {
    path: ["partitions"],
    error: 'expected it only with "conversations" in `groups`: no other tables can be partitioned',
  });

/**
 * Selects tables for `migrate` and `printMigrations`. All their names begin with `tableName`, which may contain only
 * lower-case letters, digits and underscores.
 */
export type PostgresTables = z.input<typeof tablesSchema>;

const connectionStringSchema = z.string().refine((text) => /^postgres(ql)?:\/\//.test(text), {
  error: "expected a URL that begins with postgres:// or postgresql://",
});

const tlsSchema = z.custom<ConnectionOptions>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/** The fields for the connection to the database, and whether the store creates its tables. */
export const connectionShape = {
  /** The name or address of the server. Default `"localhost"`. */
  host: z.string().min(1).default("localhost"),
  /** The port of the server. Default 5432. */
  port: z.int().min(1).max(65_535).default(5432),
  /** The name of the database. Default `"jaf_memory"`. */
  database: z.string().min(1).default("jaf_memory"),
  /** The user name for the login. Default `"postgres"`. */
  username: z.string().min(1).default("postgres"),
  /** The user's password. Default: none. */
  password: z.string().optional(),
  /** `true` to use TLS, or the TLS options of Node. Default: the setting in the connection string, or no TLS. */
  ssl: z
    .union([z.boolean(), tlsSchema], { error: "expected a boolean or an object of TLS options" })
    .optional(),
  /**
   * `postgres://user:password@host:port/database`. Replaces the fields `host`, `port`, `database`, `username` and
   * `password`.
   */
  connectionString: connectionStringSchema.optional(),
  /** Always refused, with an error that says to use the field `connectionString`. */
  url: z.never({ error: "expected it in the field connectionString" }).optional(),
  /** The maximum number of connections of a pool that the store opens itself. Default 10. */
  maxConnections: z.int().min(1).default(10),
  /**
   * Milliseconds until a statement without a result fails. Default 30,000. Applies only to a pool that the store opens
   * itself. The failure closes the statement's connection, but the server may still execute the statement.
   */
  queryTimeoutMs: z.int().min(1).max(2_147_483_647).default(30_000),
  /** Whether to create and update the tables when the store is created. Default `true`. */
  migrate: z.boolean().default(true),
};

const connectionSchema = z.object(connectionShape);

export type ConnectionSettings = z.output<typeof connectionSchema>;

const schema = z.strictObject({
  /** Selects this package if the configuration is passed to `createMemoryProvider`. No other function needs it. */
  type: z.literal("postgres").default("postgres"),
  ...connectionShape,
  ...tablesShape,
});

type Schema = typeof schema;

/** The type of {@link postgresConfigSchema}. */
export interface PostgresConfigSchema extends Schema {}

/**
 * The zod schema of {@link PostgresConfig}. Use it to check a configuration early, e.g. when you load a file. It
 * refuses unknown fields.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { postgresConfigSchema } from "@jaf/memory-postgres";
 *
 * const parsed = postgresConfigSchema.safeParse(JSON.parse(await readFile("memory.json", "utf8")));
 * if (!parsed.success) console.error(parsed.error.message);
 * ```
 */
export const postgresConfigSchema: PostgresConfigSchema = schema;

/** The configuration of a store in Postgres: the database, the names of the tables, and time limits. */
export interface PostgresConfig extends z.input<Schema> {}

/** A {@link PostgresConfig} after it was parsed, with all defaults filled in. */
export interface PostgresSettings extends z.output<Schema> {}

const WHAT = "Postgres provider configuration";

/** Returns the configuration with its defaults. Throws a `TypeError` if a field is invalid. */
export const parseConfig = (config: PostgresConfig): PostgresSettings =>
  parseOptions(postgresConfigSchema, config, WHAT);

/** Returns the options with their defaults. Throws a `TypeError` if an option is invalid. */
export const parseTables = (options: PostgresTables): z.output<typeof tablesSchema> =>
  parseOptions(tablesSchema, options, WHAT);
