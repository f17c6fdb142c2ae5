import { TABLE_PLACEHOLDER } from "./src/schema/names.ts";
import { createUserMemoryTables } from "./src/user-memory/tables.ts";

/** What drizzle-kit reads. */
export const { heads, facts, tombstones, audit, jobs } = createUserMemoryTables({
  tableName: TABLE_PLACEHOLDER,
});
