import { TABLE_PLACEHOLDER } from "./src/schema/names.ts";
import { createTurnTables } from "./src/turn-log/tables.ts";

/** What drizzle-kit reads. */
export const { turns, events } = createTurnTables({ tableName: TABLE_PLACEHOLDER });
