import { migrations } from "./generated-migrations.ts";
import { hasFunction, type MigrationSet, quotedName } from "./migration-set.ts";

const DIVISIBLE = ["", "_messages", "_traces", "_keys"];

/** What makes the tables of conversations. */
export const conversationMigrations: MigrationSet = {
  migrations,
  journalSuffix: "_migrations",
  tables: [...DIVISIBLE, "_tombstones"],
  divisible: { tables: DIVISIBLE, column: "conversation_id" },
  firstRepeatable: 2,
  // A function names its tables. So where the schema has another name than when they were made, it's others'.
  hasOwnFunctions: (schema, tableName) =>
    hasFunction(
      schema,
      `${tableName}_write`,
      `strpos(prosrc, 'UPDATE ' || ${quotedName(schema)} || '."${tableName}" SET') > 0`,
    ),
};
