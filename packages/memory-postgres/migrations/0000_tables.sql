CREATE TABLE "__p__" (
	"conversation_id" varchar(255) COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" varchar(255) COLLATE "C",
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"exact_metadata" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_activity" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"incarnation" varchar(255) COLLATE "C" DEFAULT gen_random_uuid()::text NOT NULL,
	"version" bigint DEFAULT 0 NOT NULL,
	"metadata_version" bigint DEFAULT 0 NOT NULL,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"total_messages" bigint DEFAULT 0 NOT NULL,
	"writes" bigint DEFAULT 0 NOT NULL,
	"ttl_seconds" bigint,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "__p___keys" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"idempotency_key" varchar(255) COLLATE "C" NOT NULL,
	"body_hash" char(64) NOT NULL,
	"write_no" bigint NOT NULL,
	"last_seq" bigint NOT NULL,
	CONSTRAINT "__p___keys_pkey" PRIMARY KEY("conversation_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "__p___messages" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"body" text NOT NULL,
	"is_tool_result" boolean NOT NULL,
	"message_id" varchar(255) COLLATE "C",
	"message_hash" char(64),
	CONSTRAINT "__p___messages_pkey" PRIMARY KEY("conversation_id","seq")
);
--> statement-breakpoint
CREATE TABLE "__p___traces" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"trace_id" varchar(255) COLLATE "C" NOT NULL,
	CONSTRAINT "__p___traces_pkey" PRIMARY KEY("conversation_id","trace_id")
);
--> statement-breakpoint
CREATE INDEX "idx___p___user_id" ON "__p__" USING btree ("user_id","last_activity" DESC NULLS FIRST,"conversation_id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "idx___p___last_activity" ON "__p__" USING btree ("last_activity" DESC NULLS FIRST,"conversation_id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "idx___p___created_at" ON "__p__" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "idx___p___metadata_gin" ON "__p__" USING gin ("metadata");--> statement-breakpoint
CREATE INDEX "idx___p___trace_id" ON "__p__" USING btree ((metadata->>'traceId')) WHERE (metadata->>'traceId') IS NOT NULL;--> statement-breakpoint
CREATE INDEX "idx___p___expires_at" ON "__p__" USING btree ("expires_at","conversation_id") WHERE expires_at IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "idx___p___messages_own_id" ON "__p___messages" USING btree ("conversation_id","message_id") WHERE message_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "idx___p___traces_trace_id" ON "__p___traces" USING btree ("trace_id");