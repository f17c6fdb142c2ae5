CREATE TABLE "__p___audit" (
	"user_hash" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"body" text NOT NULL,
	CONSTRAINT "__p___audit_pkey" PRIMARY KEY("user_hash","seq")
);
--> statement-breakpoint
CREATE TABLE "__p___facts" (
	"user_hash" text COLLATE "C" NOT NULL,
	"user_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"fact" text NOT NULL,
	"tags" text[] NOT NULL,
	"score" double precision,
	"trust" text NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"quarantine" text,
	"digest" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C",
	"conversation_id" text COLLATE "C",
	"position" bigint,
	"message_id" text,
	"author" text,
	"extractor" text,
	"evidence" text,
	"said_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint,
	"valid_from" bigint NOT NULL,
	"valid_until" bigint,
	"superseded_by" text COLLATE "C",
	"superseded_at" bigint,
	"conflicts_with" text,
	"terms" text[] NOT NULL,
	"weights" integer[] NOT NULL,
	"term_keys" bigint[] NOT NULL,
	"vector" real[],
	"packed_vector" "bytea",
	CONSTRAINT "__p___facts_pkey" PRIMARY KEY("user_hash","seq")
);
--> statement-breakpoint
CREATE TABLE "__p___heads" (
	"user_hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL,
	"epoch" bigint NOT NULL,
	"state" text NOT NULL,
	"documents" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "__p___jobs" (
	"user_hash" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"user_id" text NOT NULL,
	"body" text NOT NULL,
	"attempts" bigint NOT NULL,
	"ready_at" bigint NOT NULL,
	CONSTRAINT "__p___jobs_pkey" PRIMARY KEY("user_hash","id")
);
--> statement-breakpoint
CREATE TABLE "__p___fact_tombstones" (
	"user_hash" text COLLATE "C" NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	CONSTRAINT "__p___fact_tombstones_pkey" PRIMARY KEY("user_hash","digest")
);
--> statement-breakpoint
CREATE INDEX "idx___p___facts_id" ON "__p___facts" USING btree ("user_hash","id");--> statement-breakpoint
CREATE INDEX "idx___p___facts_digest" ON "__p___facts" USING btree ("user_hash","digest");--> statement-breakpoint
CREATE INDEX "idx___p___facts_key" ON "__p___facts" USING btree ("user_hash","key","status") WHERE key IS NOT NULL;--> statement-breakpoint
CREATE INDEX "idx___p___facts_place" ON "__p___facts" USING btree ("user_hash","conversation_id","position") WHERE conversation_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "idx___p___facts_superseder" ON "__p___facts" USING btree ("user_hash","superseded_by") WHERE superseded_by IS NOT NULL;--> statement-breakpoint
CREATE INDEX "idx___p___facts_status" ON "__p___facts" USING btree ("user_hash","status","seq");--> statement-breakpoint
CREATE INDEX "idx___p___facts_vector" ON "__p___facts" USING btree ("user_hash","seq") WHERE vector IS NOT NULL;--> statement-breakpoint
CREATE INDEX "idx___p___facts_packed" ON "__p___facts" USING btree ("user_hash","seq") WHERE packed_vector IS NOT NULL;--> statement-breakpoint
CREATE INDEX "idx___p___facts_terms" ON "__p___facts" USING gin ("term_keys") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "idx___p___jobs_ready_at" ON "__p___jobs" USING btree ("ready_at");