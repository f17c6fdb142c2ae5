CREATE TABLE "__p___tombstones" (
	"key" varchar(43) COLLATE "C" PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "idx___p___tombstones_expiry" ON "__p___tombstones" USING btree ("expires_at");