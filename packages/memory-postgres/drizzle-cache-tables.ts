import { createCacheTables } from "./src/cache/tables.ts";
import { TABLE_PLACEHOLDER } from "./src/schema/names.ts";

/** What drizzle-kit reads. */
export const { cache } = createCacheTables({ tableName: TABLE_PLACEHOLDER });
