import { migrations } from "./embedded.ts";
import { hasFunction, type MigrationSet, quotedName } from "./migration-set.ts";

/** What makes the tables of conversations. */
export const conversationMigrations: MigrationSet = {
  migrations,
  journalSuffix: "_migrations",
  tables: ["", "_messages", "_traces", "_keys"],
  partitionKey: "conversation_id",
  firstRepeatable: 5,
  // A function names its tables. So where the schema has another name than when they were made, it's others'.
  hasOwnFunctions: (schema, tableName) =>
    hasFunction(
      schema,
      `${tableName}_write`,
      `strpos(prosrc, 'UPDATE ' || ${quotedName(schema)} || '."${tableName}" SET') > 0`,
    ),
};
