CREATE TABLE "__p___turn_events" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"turn_id" varchar(255) COLLATE "C" NOT NULL,
	"first" bigint NOT NULL,
	"texts" text[] NOT NULL,
	CONSTRAINT "__p___turn_events_pkey" PRIMARY KEY("conversation_id","turn_id","first")
);
--> statement-breakpoint
CREATE TABLE "__p___turns" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"turn_id" varchar(255) COLLATE "C" NOT NULL,
	"user_id" varchar(255) COLLATE "C" NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"token" text NOT NULL,
	"lease_seconds" double precision NOT NULL,
	"keep_seconds" bigint NOT NULL,
	"lease_ends_at" timestamp with time zone NOT NULL,
	"events" bigint NOT NULL,
	"stop_requested" boolean DEFAULT false NOT NULL,
	"request" text,
	"record" text,
	"started_at" timestamp with time zone NOT NULL,
	"events_expire_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	CONSTRAINT "__p___turns_pkey" PRIMARY KEY("conversation_id","turn_id")
);
--> statement-breakpoint
ALTER TABLE "__p___turn_events" ADD CONSTRAINT "__p___turn_events_turn" FOREIGN KEY ("conversation_id","turn_id") REFERENCES "public"."__p___turns"("conversation_id","turn_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idx___p___turns_started" ON "__p___turns" USING btree ("conversation_id","started_at");--> statement-breakpoint
CREATE UNIQUE INDEX "idx___p___turns_open" ON "__p___turns" USING btree ("conversation_id") WHERE "__p___turns"."state" <> 'ended';--> statement-breakpoint
CREATE INDEX "idx___p___turns_user" ON "__p___turns" USING btree ("user_id","state","started_at");--> statement-breakpoint
CREATE INDEX "idx___p___turns_lease" ON "__p___turns" USING btree ("due_at") WHERE "__p___turns"."state" = 'running';--> statement-breakpoint
CREATE INDEX "idx___p___turns_due" ON "__p___turns" USING btree ("due_at") WHERE "__p___turns"."state" <> 'running';