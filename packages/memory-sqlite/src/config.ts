import { parseOptions } from "@jaf/memory/adapter";
import * as z from "zod";

export const configShape = {
  /** Selects this package if the configuration is passed to `createMemoryProvider`. No other function needs it. */
  type: z.literal("sqlite").default("sqlite"),
  /**
   * The path of the file. A missing file is created, readable for its owner only; its folder must exist. Required
   * unless a database is passed in.
   */
  file: z.string().min(1).optional(),
};

const schema = z.strictObject(configShape);

type Schema = typeof schema;

/** The type of {@link sqliteConfigSchema}. */
export interface SqliteConfigSchema extends Schema {}

/**
 * The zod schema of {@link SqliteConfig}. Use it to check a configuration early. It refuses unknown fields.
 *
 * @example
 * ```ts
 * import { sqliteConfigSchema } from "@jaf/memory-sqlite";
 *
 * const parsed = sqliteConfigSchema.safeParse({ file: "memory.db" });
 * if (!parsed.success) console.error(parsed.error.message);
 * ```
 */
export const sqliteConfigSchema: SqliteConfigSchema = schema;

/** The configuration of a store in a SQLite file. */
export interface SqliteConfig extends z.input<Schema> {}

/** A {@link SqliteConfig} after it was parsed. */
export interface SqliteSettings extends z.output<Schema> {}

/** Returns the configuration with its defaults. Throws a `TypeError` if a field is invalid. */
export const parseConfig = (config: SqliteConfig): SqliteSettings =>
  parseOptions(sqliteConfigSchema, config, "SQLite configuration");
