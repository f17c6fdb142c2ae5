import {
  bigint,
  customType,
  index,
  jsonb,
  PgSchema,
  type PgTableFn,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import type { TableNames } from "../schema/names.ts";

// Byte order: compared exactly, and a system update that changes a locale can't corrupt the indexes.
const id = customType<{ data: string }>({ dataType: () => 'varchar(255) COLLATE "C"' });

const hash = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

const count = (name: string) => bigint(name, { mode: "number" });

/** The end of the table's name, after the prefix. */
export const BLOBS_SUFFIX = "_blobs";

/** The truth about the schema, as `schema/tables.ts` is of the conversations'. */
export function createBlobTables({ tableName, schema }: TableNames) {
  // Not `pgSchema`, which refuses an explicit "public".
  const table: PgTableFn =
    schema === undefined ? pgTable : (new PgSchema(schema).table as unknown as PgTableFn);
  const name = `${tableName}${BLOBS_SUFFIX}`;
  return {
    blobs: table(
      name,
      {
        conversationId: id("conversation_id").notNull(),
        /** Of the bytes, hex. */
        sha256: hash("sha256").notNull(),
        data: bytes("data").notNull(),
        /** The id of the last hold. */
        token: text("token").notNull(),
        /** Of writes under way: when each is over, in milliseconds since 1970, by its id. */
        holds: jsonb("holds").notNull(),
        /** When it was put, or last looked after, in milliseconds since 1970. */
        checkedAt: count("checked_at").notNull(),
      },
      ({ conversationId, sha256, checkedAt }) => [
        primaryKey({ name: `${name}_pkey`, columns: [conversationId, sha256] }),
        index(`idx_${name}_checked_at`).on(checkedAt),
      ],
    ),
  };
}
