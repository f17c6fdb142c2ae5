import { parseOptions } from "@jaf/memory/adapter";
import type { UserMemoryOptions } from "@jaf/user-memory";
import { boundOptions, userMemoryOptionsSchema } from "@jaf/user-memory/adapter";
import * as z from "zod";
import { connectionShape, schemaShape, tableNameSchema } from "../config.ts";

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

export type PostgresUserMemoryBackendSettings = z.output<typeof ownSchema>;

export interface PostgresUserMemorySettings {
  readonly own: PostgresUserMemoryBackendSettings;
  readonly options: UserMemoryOptions;
}

/** Throws a `TypeError` that names the field and what was expected, and never the value. */
export function parseConfig(config: PostgresUserMemoryConfig): PostgresUserMemorySettings {
  const given = boundOptions(configSchema, config);
  parseOptions(configSchema, given, WHAT);
  const isOption = (field: string): boolean => field in userMemoryOptionsSchema.shape;
  const fields = Object.entries(given);
  return {
    own: ownSchema.parse(Object.fromEntries(fields.filter(([field]) => !isOption(field)))),
    options: Object.fromEntries(fields.filter(([field]) => isOption(field))),
  };
}

/** Throws as {@link parseConfig}. */
export const parseBackendConfig = (
  config: PostgresUserMemoryBackendConfig,
): PostgresUserMemoryBackendSettings => parseOptions(ownSchema, boundOptions(ownSchema, config), WHAT);

/** Throws as {@link parseConfig}. */
export const parseTables = (options: PostgresUserMemoryTables): z.output<typeof tablesSchema> =>
  parseOptions(tablesSchema, options, WHAT);
