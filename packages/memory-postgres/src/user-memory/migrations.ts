import { hasFunction, type MigrationSet } from "../migrator/migration-set.ts";
import { migrations } from "./generated-migrations.ts";
import { TABLE_SUFFIXES } from "./tables.ts";

/** What makes the tables of user memory. Its journal is another than the conversations', also where the prefix is one. */
export const userMemoryMigrations: MigrationSet = {
  migrations,
  journalSuffix: "_fact_migrations",
  tables: Object.values(TABLE_SUFFIXES),
  firstRepeatable: 2,
  // The function names no table, so it serves wherever it is.
  hasOwnFunctions: (schema, tableName) => hasFunction(schema, `${tableName}_erase`),
};
