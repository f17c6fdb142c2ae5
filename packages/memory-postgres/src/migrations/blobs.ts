import { jsonb, text } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";
import {
  bytesColumn,
  countColumn,
  ddl,
  exactTextColumn,
  idColumn,
  type TableGroup,
  tableIn,
} from "./table-group.ts";

/** The group with the table of blobs. */
export const blobTables: TableGroup = {
  journalSuffix: "_blob_migrations",
  tables: ["_blobs"],
  migrations: [
    {
      name: "initial",
      sql: ddl`
CREATE TABLE "__p___blobs" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"sha256" text COLLATE "C" NOT NULL,
	"data" bytea NOT NULL,
	"token" text NOT NULL,
	"holds" jsonb NOT NULL,
	"checked_at" bigint NOT NULL,
	CONSTRAINT "__p___blobs_pkey" PRIMARY KEY ("conversation_id", "sha256")
);
CREATE INDEX "idx___p___blobs_checked_at" ON "__p___blobs" ("checked_at");
-- Compression doesn't make images and sounds smaller. Statistics keep samples of a column's values, even after the
-- values were deleted. So there are none of media.
ALTER TABLE "__p___blobs"
	ALTER COLUMN "data" SET STORAGE EXTERNAL,
	ALTER COLUMN "data" SET STATISTICS 0,
	ALTER COLUMN "sha256" SET STATISTICS 0;
`,
    },
  ],
  remedy: 'migrate(), or the script of printMigrations(), with `groups: ["blobs"]`',
};

/** The table of blobs with its columns, for queries. */
export function createBlobTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  return {
    blobs: table(`${tableName}_blobs`, {
      conversationId: idColumn("conversation_id").notNull(),
      /** The SHA-256 of the bytes, in hex. */
      sha256: exactTextColumn("sha256").notNull(),
      data: bytesColumn("data").notNull(),
      /** The id of the last hold on the blob. */
      // If it changes, a writer has put or kept the blob in the meantime.
      token: text("token").notNull(),
      /**
       * The holds of writes in progress: an object that maps the id of each hold to its end in milliseconds since 1970.
       * Until a hold ends, the blob isn't removed.
       */
      holds: jsonb("holds").notNull(),
      /** When the blob was put or last swept, in milliseconds since 1970. */
      checkedAt: countColumn("checked_at").notNull(),
    }),
  };
}
