import type { MigrationSet } from "../migrator/migration-set.ts";
import { migrations } from "./generated-migrations.ts";
import { CACHE_SUFFIX } from "./tables.ts";

/** What makes the table of a cache. Its journal is another than the conversations', also where the prefix is one. */
export const cacheMigrations: MigrationSet = {
  migrations,
  journalSuffix: "_cache_migrations",
  tables: [CACHE_SUFFIX],
  firstRepeatable: migrations.length,
  // There are none.
  hasOwnFunctions: () => "true",
  remedy: "migrateCache(), or the script of printCacheMigrations()",
};
