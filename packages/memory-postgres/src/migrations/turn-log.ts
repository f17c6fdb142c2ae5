import { boolean, doublePrecision, text, timestamp } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";
import { countColumn, ddl, exactTextColumn, idColumn, type TableGroup, tableIn } from "./table-group.ts";

/** The group with the tables of a turn log. */
export const turnLogTables: TableGroup = {
  journalSuffix: "_turn_migrations",
  tables: ["_turns", "_turn_events"],
  migrations: [
    {
      name: "initial",
      sql: ddl`
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
	CONSTRAINT "__p___turns_pkey" PRIMARY KEY ("conversation_id", "turn_id")
);
CREATE TABLE "__p___turn_events" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"turn_id" varchar(255) COLLATE "C" NOT NULL,
	"first" bigint NOT NULL,
	"texts" text[] NOT NULL,
	CONSTRAINT "__p___turn_events_pkey" PRIMARY KEY ("conversation_id", "turn_id", "first"),
	CONSTRAINT "__p___turn_events_turn" FOREIGN KEY ("conversation_id", "turn_id")
		REFERENCES "public"."__p___turns" ("conversation_id", "turn_id") ON DELETE CASCADE
);
-- No index contains a column that each append changes, so an append changes the row within its page.
CREATE INDEX "idx___p___turns_started" ON "__p___turns" ("conversation_id", "started_at");
CREATE UNIQUE INDEX "idx___p___turns_open" ON "__p___turns" ("conversation_id") WHERE state <> 'ended';
CREATE INDEX "idx___p___turns_user" ON "__p___turns" ("user_id", "state", "started_at");
CREATE INDEX "idx___p___turns_lease" ON "__p___turns" ("due_at") WHERE state = 'running';
CREATE INDEX "idx___p___turns_due" ON "__p___turns" ("due_at") WHERE state <> 'running';
-- Leaves room for the next version of a row in the row's page.
ALTER TABLE "__p___turns" SET (fillfactor = 50);
-- Statistics keep samples of a column's values, even after the values were deleted. So there are none of what was said.
ALTER TABLE "__p___turns"
	ALTER COLUMN "request" SET STATISTICS 0,
	ALTER COLUMN "record" SET STATISTICS 0;
ALTER TABLE "__p___turn_events" ALTER COLUMN "texts" SET STATISTICS 0;
`,
    },
  ],
  remedy: 'migrate(), or the script of printMigrations(), with `groups: ["turn-log"]`',
};

const timeColumn = (name: string) => timestamp(name, { withTimezone: true });

/** The tables of a turn log with their columns, for queries. All times are those of the database. */
export function createTurnTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  const turns = table(`${tableName}_turns`, {
    conversationId: idColumn("conversation_id").notNull(),
    turnId: idColumn("turn_id").notNull(),
    userId: idColumn("user_id").notNull(),
    /** The state of the turn: `running`, `waiting` or `ended`. */
    state: exactTextColumn("state").notNull(),
    /** The random token of the turn's last writer. */
    token: text("token").notNull(),
    leaseSeconds: doublePrecision("lease_seconds").notNull(),
    keepSeconds: countColumn("keep_seconds").notNull(),
    leaseEndsAt: timeColumn("lease_ends_at").notNull(),
    /** The number of events, including expired ones. */
    events: countColumn("events").notNull(),
    stopRequested: boolean("stop_requested").notNull().default(false),
    /** The data that a take-over needs to continue the turn. Null: the turn isn't running. */
    request: text("request"),
    /** The text that the writer stored when the state became `waiting` or `ended`. Null: the turn is running. */
    record: text("record"),
    /** When the turn began. It is later than each earlier turn of the conversation. */
    startedAt: timeColumn("started_at").notNull(),
    /** When the events expire. Null: the turn is running. */
    eventsExpireAt: timeColumn("events_expire_at"),
    expiresAt: timeColumn("expires_at").notNull(),
    /** When the next check of the turn is due. For a running turn, this is at or before the end of its lease. */
    dueAt: timeColumn("due_at").notNull(),
  });
  const events = table(`${tableName}_turn_events`, {
    conversationId: idColumn("conversation_id").notNull(),
    turnId: idColumn("turn_id").notNull(),
    /** The number of the event in the first text. */
    first: countColumn("first").notNull(),
    /** The texts of one append, one for each event. */
    texts: text("texts").array().notNull(),
  });
  return { turns, events };
}
