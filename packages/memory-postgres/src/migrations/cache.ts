import { text } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";
import { countColumn, ddl, exactTextColumn, type TableGroup, tableIn } from "./table-group.ts";

/** The group with the table of a cache. */
export const cacheTables: TableGroup = {
  journalSuffix: "_cache_migrations",
  tables: ["_cache"],
  migrations: [
    {
      name: "initial",
      sql: ddl`
CREATE TABLE "__p___cache" (
	"key" text COLLATE "C" PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"expires_at" bigint NOT NULL
);
CREATE INDEX "idx___p___cache_expires_at" ON "__p___cache" ("expires_at");
`,
    },
  ],
  remedy: 'migrate(), or the script of printMigrations(), with `groups: ["cache"]`',
};

/** The table of a cache with its columns, for queries. */
export function createCacheTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  return {
    cache: table(`${tableName}_cache`, {
      key: exactTextColumn("key").primaryKey(),
      value: text("value").notNull(),
      /** When the value expires by the database's clock, in milliseconds since 1970. */
      expiresAt: countColumn("expires_at").notNull(),
    }),
  };
}
