import { ddl } from "./ddl.ts";
import type { TableGroup } from "./table-group.ts";

/** The table of blobs. */
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
-- Images and sounds don't get smaller when they are compressed. Statistics keep samples of what stands in a column, also
-- once it is deleted: nothing of media.
ALTER TABLE "__p___blobs"
	ALTER COLUMN "data" SET STORAGE EXTERNAL,
	ALTER COLUMN "data" SET STATISTICS 0,
	ALTER COLUMN "sha256" SET STATISTICS 0;
`,
    },
  ],
  remedy: 'migrate(), or the script of printMigrations(), with `groups: ["blobs"]`',
};
