import { parseOptions } from "@jaf/memory";
import * as z from "zod";
import { connectionShape, schemaShape, tableNameSchema } from "../config.ts";

const tablesShape = {
  /** What the table's name begins with: `<tableName>_blobs`. Default `"conversations"`, as the conversations' own. */
  tableName: tableNameSchema.default("conversations"),
  ...schemaShape,
};

const tablesSchema = z.strictObject(tablesShape);

const configSchema = z.strictObject({
  type: z.literal("postgres").default("postgres"),
  ...connectionShape,
  ...tablesShape,
});

/** Which table; names that hold SQL are refused. */
export type PostgresBlobTables = z.input<typeof tablesSchema>;

/** Where the bytes of media are kept. */
export type PostgresBlobStoreConfig = z.input<typeof configSchema>;

/** Throws a `TypeError` that names the field and what was expected, and never the value. */
export const parseBlobConfig = (config: PostgresBlobStoreConfig): z.output<typeof configSchema> =>
  parseOptions(configSchema, config, "Postgres blob store configuration");

/** Throws as {@link parseBlobConfig}. */
export const parseBlobTables = (options: PostgresBlobTables): z.output<typeof tablesSchema> =>
  parseOptions(tablesSchema, options, "Postgres blob store configuration");
