// Made of the files in ../../migrations/cache by the script "generate": edit those.
export const migrations: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: "0000_tables",
    sql: `CREATE TABLE "__p___cache" (
	"key" text COLLATE "C" PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "idx___p___cache_expires_at" ON "__p___cache" USING btree ("expires_at");`,
  },
];
