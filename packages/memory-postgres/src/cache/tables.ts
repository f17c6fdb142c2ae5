import { index, text } from "drizzle-orm/pg-core";
import { countColumn, exactTextColumn, tableIn } from "../schema/columns.ts";
import type { TableNames } from "../schema/names.ts";

/** The end of the table's name, after the prefix. */
export const CACHE_SUFFIX = "_cache";

/** The definition of the schema, like `schema/tables.ts` for conversations. */
export function createCacheTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  const name = `${tableName}${CACHE_SUFFIX}`;
  return {
    cache: table(
      name,
      {
        key: exactTextColumn("key").primaryKey(),
        value: text("value").notNull(),
        /** By the database's clock, in milliseconds since 1970. */
        expiresAt: countColumn("expires_at").notNull(),
      },
      ({ expiresAt }) => [index(`idx_${name}_expires_at`).on(expiresAt)],
    ),
  };
}
