import { erasureFunctions } from "./conversation-erasure.ts";
import { triggers } from "./conversation-triggers.ts";
import { view } from "./conversation-view.ts";
import { writeFunctions } from "./conversation-write.ts";
import { DIVISION, ddl } from "./ddl.ts";
import { hasFunction, quotedName, type TableGroup } from "./table-group.ts";

// The index of metadata is without what changes with each run, which may be large.
//
// No foreign keys: they cost each append a look-up for each message. A trigger deletes what they would.
const tables = ddl`
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
	"expires_at" timestamp (3) with time zone,
	"run_metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"history_digest" bytea,
	"previous_digest" bytea,
	"digest_base" bytea
)${DIVISION};
CREATE TABLE "__p___keys" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"idempotency_key" varchar(255) COLLATE "C" NOT NULL,
	"body_hash" char(64) NOT NULL,
	"write_no" bigint NOT NULL,
	"last_seq" bigint NOT NULL,
	CONSTRAINT "__p___keys_pkey" PRIMARY KEY ("conversation_id", "idempotency_key")
)${DIVISION};
CREATE TABLE "__p___messages" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"body" text NOT NULL,
	"is_tool_result" boolean NOT NULL,
	"message_id" varchar(255) COLLATE "C",
	"message_hash" char(64),
	"digest" bytea,
	CONSTRAINT "__p___messages_pkey" PRIMARY KEY ("conversation_id", "seq")
)${DIVISION};
CREATE TABLE "__p___traces" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"trace_id" varchar(255) COLLATE "C" NOT NULL,
	CONSTRAINT "__p___traces_pkey" PRIMARY KEY ("conversation_id", "trace_id")
)${DIVISION};
CREATE INDEX "idx___p___user_id" ON "__p__" ("user_id", "last_activity" DESC, "conversation_id" DESC);
CREATE INDEX "idx___p___last_activity" ON "__p__" ("last_activity" DESC, "conversation_id" DESC);
CREATE INDEX "idx___p___created_at" ON "__p__" ("created_at");
CREATE INDEX "idx___p___metadata_gin" ON "__p__" USING gin ("metadata");
CREATE INDEX "idx___p___expires_at" ON "__p__" ("expires_at", "conversation_id") WHERE expires_at IS NOT NULL;
CREATE INDEX "idx___p___trace_id" ON "__p___traces" ("trace_id");
CREATE UNIQUE INDEX "idx___p___messages_own_id" ON "__p___messages" ("conversation_id", "message_id")
WHERE message_id IS NOT NULL;

CREATE TABLE "__p___tombstones" (
	"key" varchar(43) COLLATE "C" PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
CREATE INDEX "idx___p___tombstones_expiry" ON "__p___tombstones" ("expires_at");
`;

const DIVISIBLE = ["", "_messages", "_traces", "_keys"];

/** The tables of conversations. */
export const conversationTables: TableGroup = {
  journalSuffix: "_migrations",
  tables: [...DIVISIBLE, "_tombstones"],
  divisible: { tables: DIVISIBLE, column: "conversation_id" },
  migrations: [{ name: "initial", sql: tables }],
  functions: {
    sql: [writeFunctions, erasureFunctions, view, triggers].join("\n\n"),
    // A function names its tables. So where the schema has another name than when they were made, it's others'.
    areOwn: (schema, tableName) =>
      hasFunction(
        schema,
        `${tableName}_write`,
        `strpos(prosrc, 'UPDATE ' || ${quotedName(schema)} || '."${tableName}" SET') > 0`,
      ),
  },
  remedy: "migrate(), or the script of printMigrations()",
};
