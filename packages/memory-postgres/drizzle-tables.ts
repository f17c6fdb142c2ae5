import { TABLE_PLACEHOLDER } from "./src/schema/names.ts";
import { createTables } from "./src/schema/tables.ts";

/** What drizzle-kit reads. */
export const { conversations, messages, traces, keys, tombstones } = createTables({
  tableName: TABLE_PLACEHOLDER,
});
