import type { MigrationSet } from "../migrator/migration-set.ts";
import { migrations } from "./generated-migrations.ts";
import { TURN_EVENTS_SUFFIX, TURNS_SUFFIX } from "./tables.ts";

/** What makes the tables of a turn log. Its journal is another than the conversations', also where the prefix is one. */
export const turnLogMigrations: MigrationSet = {
  migrations,
  journalSuffix: "_turn_migrations",
  tables: [TURNS_SUFFIX, TURN_EVENTS_SUFFIX],
  firstRepeatable: migrations.length,
  // There are none.
  hasOwnFunctions: () => "true",
  remedy: "migrateTurnLog(), or the script of printTurnLogMigrations()",
};
