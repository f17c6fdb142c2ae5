import { jsonb, text } from "drizzle-orm/pg-core";
import { bytesColumn, countColumn, exactTextColumn, idColumn, tableIn } from "../schema/columns.ts";
import type { TableNames } from "../schema/names.ts";

/** The columns of the table, for queries; see `migrations/blobs.ts`. */
export function createBlobTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  return {
    blobs: table(`${tableName}_blobs`, {
      conversationId: idColumn("conversation_id").notNull(),
      /** Of the bytes, hex. */
      sha256: exactTextColumn("sha256").notNull(),
      data: bytesColumn("data").notNull(),
      /** The id of the last hold. */
      token: text("token").notNull(),
      /** Of writes in progress: when each is over, in milliseconds since 1970, by its id. */
      holds: jsonb("holds").notNull(),
      /** When it was put, or last swept, in milliseconds since 1970. */
      checkedAt: countColumn("checked_at").notNull(),
    }),
  };
}
