CREATE TABLE "__p___blobs" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"sha256" text COLLATE "C" NOT NULL,
	"data" "bytea" NOT NULL,
	"token" text NOT NULL,
	"holds" jsonb NOT NULL,
	"checked_at" bigint NOT NULL,
	CONSTRAINT "__p___blobs_pkey" PRIMARY KEY("conversation_id","sha256")
);
--> statement-breakpoint
CREATE INDEX "idx___p___blobs_checked_at" ON "__p___blobs" USING btree ("checked_at");