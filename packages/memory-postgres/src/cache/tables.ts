import { text } from "drizzle-orm/pg-core";
import { countColumn, exactTextColumn, tableIn } from "../schema/columns.ts";
import type { TableNames } from "../schema/names.ts";

/** The columns of the table, for queries; see `migrations/cache.ts`. */
export function createCacheTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  return {
    cache: table(`${tableName}_cache`, {
      key: exactTextColumn("key").primaryKey(),
      value: text("value").notNull(),
      /** By the database's clock, in milliseconds since 1970. */
      expiresAt: countColumn("expires_at").notNull(),
    }),
  };
}
