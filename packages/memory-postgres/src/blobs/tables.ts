import { index, jsonb, primaryKey, text } from "drizzle-orm/pg-core";
import { bytesColumn, countColumn, exactTextColumn, idColumn, tableIn } from "../schema/columns.ts";
import type { TableNames } from "../schema/names.ts";

/** The end of the table's name, after the prefix. */
export const BLOBS_SUFFIX = "_blobs";

/** The definition of the schema, like `schema/tables.ts` for conversations. */
export function createBlobTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  const name = `${tableName}${BLOBS_SUFFIX}`;
  return {
    blobs: table(
      name,
      {
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
      },
      ({ conversationId, sha256, checkedAt }) => [
        primaryKey({ name: `${name}_pkey`, columns: [conversationId, sha256] }),
        index(`idx_${name}_checked_at`).on(checkedAt),
      ],
    ),
  };
}
