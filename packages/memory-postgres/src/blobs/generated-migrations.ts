// Made of the files in ../../migrations/blobs by the script "generate": edit those.
export const migrations: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: "0000_tables",
    sql: `CREATE TABLE "__p___blobs" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"sha256" text COLLATE "C" NOT NULL,
	"data" "bytea" NOT NULL,
	"token" text NOT NULL,
	"holds" jsonb NOT NULL,
	"checked_at" bigint NOT NULL,
	CONSTRAINT "__p___blobs_pkey" PRIMARY KEY("conversation_id","sha256")
);
--> statement-breakpoint
CREATE INDEX "idx___p___blobs_checked_at" ON "__p___blobs" USING btree ("checked_at");`,
  },
  {
    name: "0001_storage",
    sql: `-- Images and sounds don't get smaller when they are compressed. Statistics keep samples of what stands in a column, also
-- once it is deleted: nothing of media.
ALTER TABLE "__p___blobs"
	ALTER COLUMN "data" SET STORAGE EXTERNAL,
	ALTER COLUMN "data" SET STATISTICS 0,
	ALTER COLUMN "sha256" SET STATISTICS 0;
`,
  },
];
