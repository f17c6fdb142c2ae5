import type { ConnectionOptions } from "node:tls";
import { parseOptions } from "@jaf/memory/adapter";
import * as z from "zod";
import { TABLE_NAME_PATTERN } from "./table-names.ts";

// Postgres accepts neither in UTF-8.
const NOT_IN_A_NAME = /[\0\p{Surrogate}]/u;

const RESERVED_SCHEMA = /^(pg_.*|information_schema|\$user)$/s;

const MOST_PARTITIONS = 128;

/** The start of the tables' names. */
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
   * The schema of the tables; created if missing. Default: the connection's `current_schema()` when the provider is
   * created, which is the first existing schema of its `search_path`. The others are not searched.
   */
  schema: schemaNameSchema.optional(),
};

const tablesShape = {
  /** The name of the main table, and the start of the other tables' names. Default `"conversations"`. */
  tableName: tableNameSchema.default("conversations"),
  ...schemaShape,
  /**
   * The number of partitions of new tables, by a hash of the conversation id: 1 to 128. It is an error if existing
   * tables have another number. Default: new tables are not partitioned, existing ones are used as they are.
   */
  partitions: z
    .int()
    .min(1)
    .max(MOST_PARTITIONS, {
      error: `expected at most ${MOST_PARTITIONS}: a listing locks each partition and each of its indexes, and servers have memory for only a few thousand locks`,
    })
    .optional(),
};

const TABLE_GROUPS = ["conversations", "blobs", "cache", "turn-log"] as const;

export type TableGroupName = (typeof TABLE_GROUPS)[number];

const tablesSchema = z
  .strictObject({
    /** The groups of tables, in the order of their creation. Default `["conversations"]`. */
    groups: z.array(z.enum(TABLE_GROUPS)).min(1).readonly().default(["conversations"]),
    ...tablesShape,
  })
  .refine(({ groups, partitions }) => partitions === undefined || groups.includes("conversations"), {
    path: ["partitions"],
    error: 'expected it only with "conversations" in `groups`: no other tables can be partitioned',
  });

/**
 * Selects tables. All their names begin with `tableName`. Only lower-case letters, digits and underscores are allowed.
 */
export type PostgresTables = z.input<typeof tablesSchema>;

const connectionStringSchema = z.string().refine((text) => /^postgres(ql)?:\/\//.test(text), {
  error: "expected a URL that begins with postgres:// or postgresql://",
});

const tlsSchema = z.custom<ConnectionOptions>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/** The connection to the database, and whether to create the tables. */
export const connectionShape = {
  /** The name or address of the server. Default `"localhost"`. */
  host: z.string().min(1).default("localhost"),
  /** The port of the server. Default 5432. */
  port: z.int().min(1).max(65_535).default(5432),
  /** The name of the database. Default `"jaf_memory"`. */
  database: z.string().min(1).default("jaf_memory"),
  /** The user. Default `"postgres"`. */
  username: z.string().min(1).default("postgres"),
  /** The user's password. Default: none. */
  password: z.string().optional(),
  /** `true`, or TLS options of Node. Default: the setting in the connection string, else off. */
  ssl: z
    .union([z.boolean(), tlsSchema], { error: "expected a boolean or an object of TLS options" })
    .optional(),
  /** `postgres://user:password@host:port/database`. Replaces the fields above. */
  connectionString: connectionStringSchema.optional(),
  /** The name of this field in Redis's configuration. It exists only for an error that names the right field. */
  url: z.never({ error: "expected it in the field connectionString" }).optional(),
  /** The maximum number of connections of the pool that is opened without a client. Default 10. */
  maxConnections: z.int().min(1).default(10),
  /**
   * Milliseconds until a statement on that pool fails and its connection is closed. The server may still complete it.
   * Default 30,000.
   */
  queryTimeoutMs: z.int().min(1).max(2_147_483_647).default(30_000),
  /** Creates and updates the tables when the provider is created. Default `true`. */
  migrate: z.boolean().default(true),
};

const connectionSchema = z.object(connectionShape);

export type ConnectionSettings = z.output<typeof connectionSchema>;

const schema = z.strictObject({
  /** Selects this package in `createMemoryProvider`. Not needed elsewhere. */
  type: z.literal("postgres").default("postgres"),
  ...connectionShape,
  ...tablesShape,
});

type Schema = typeof schema;

/** The type of {@link postgresConfigSchema}. */
export interface PostgresConfigSchema extends Schema {}

/** The zod schema of {@link PostgresConfig}, e.g. to check a configuration file early. It refuses unknown fields. */
export const postgresConfigSchema: PostgresConfigSchema = schema;

/** The configuration of the stores in Postgres: the database, the names of the tables, and time limits. */
export interface PostgresConfig extends z.input<Schema> {}

/** The configuration with its defaults. */
export interface PostgresSettings extends z.output<Schema> {}

const WHAT = "Postgres provider configuration";

/** Throws a `TypeError` that names the field and the expected value, but never contains the actual value. */
export const parseConfig = (config: PostgresConfig): PostgresSettings =>
  parseOptions(postgresConfigSchema, config, WHAT);

/** Throws the errors of {@link parseConfig}. */
export const parseTables = (options: PostgresTables): z.output<typeof tablesSchema> =>
  parseOptions(tablesSchema, options, WHAT);
