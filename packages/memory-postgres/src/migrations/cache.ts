import { ddl } from "./ddl.ts";
import type { TableGroup } from "./table-group.ts";

/** The table of a cache. */
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
