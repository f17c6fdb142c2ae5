import { createBlobTables } from "./src/blobs/tables.ts";
import { TABLE_PLACEHOLDER } from "./src/schema/names.ts";

/** What drizzle-kit reads. */
export const { blobs } = createBlobTables({ tableName: TABLE_PLACEHOLDER });
