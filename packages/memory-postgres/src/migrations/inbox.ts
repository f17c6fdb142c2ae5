import { integer, text, timestamp, uuid } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";
import { countColumn, ddl, idColumn, type TableGroup, tableIn } from "./table-group.ts";

/** The group with the tables of an inbox. */
export const inboxTables: TableGroup = {
  journalSuffix: "_inbox_migrations",
  tables: ["_inboxes", "_inbox_entries"],
  migrations: [
    {
      name: "initial",
      sql: ddl`
CREATE TABLE "__p___inboxes" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"user_id" varchar(255) COLLATE "C" NOT NULL,
	"epoch" uuid NOT NULL,
	"version" bigint NOT NULL,
	"entries" integer NOT NULL,
	"since" timestamp with time zone,
	"known_until" timestamp with time zone NOT NULL,
	CONSTRAINT "__p___inboxes_pkey" PRIMARY KEY ("conversation_id")
);
CREATE TABLE "__p___inbox_entries" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"key" varchar(255) COLLATE "C" NOT NULL,
	"number" bigint NOT NULL,
	"content" text,
	"put_at" timestamp with time zone NOT NULL,
	CONSTRAINT "__p___inbox_entries_pkey" PRIMARY KEY ("conversation_id", "key", "number"),
	CONSTRAINT "__p___inbox_entries_inbox" FOREIGN KEY ("conversation_id")
		REFERENCES "public"."__p___inboxes" ("conversation_id") ON DELETE CASCADE
);
CREATE INDEX "idx___p___inboxes_user" ON "__p___inboxes" ("user_id", "since");
CREATE INDEX "idx___p___inboxes_since" ON "__p___inboxes" ("since") WHERE since IS NOT NULL;
CREATE INDEX "idx___p___inboxes_known" ON "__p___inboxes" ("known_until") WHERE since IS NULL;
CREATE UNIQUE INDEX "idx___p___inbox_waiting" ON "__p___inbox_entries" ("conversation_id", "number")
WHERE content IS NOT NULL;
CREATE INDEX "idx___p___inbox_removed" ON "__p___inbox_entries" ("put_at") WHERE content IS NULL;
-- Statistics keep samples of a column's values, even after the values were deleted. So there are none of what was said.
ALTER TABLE "__p___inbox_entries" ALTER COLUMN "content" SET STATISTICS 0;
`,
    },
  ],
  remedy: 'migrate(), or the script of printMigrations(), with `groups: ["inbox"]`',
};

const timeColumn = (name: string) => timestamp(name, { withTimezone: true });

/** The tables of an inbox with their columns, for queries. All times are those of the database. */
export function createInboxTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  const inboxes = table(`${tableName}_inboxes`, {
    conversationId: idColumn("conversation_id").notNull(),
    userId: idColumn("user_id").notNull(),
    /** Tells an inbox from an earlier, erased one of the same conversation. */
    epoch: uuid("epoch").notNull(),
    /** Counts the changes of the inbox. Each entry has the version that its put made as its number. */
    version: countColumn("version").notNull(),
    /** The number of entries that wait. */
    entries: integer("entries").notNull(),
    /** When the oldest entry that waits was put. Null: no entry waits. */
    since: timeColumn("since"),
    /** Until when a key is known. */
    knownUntil: timeColumn("known_until").notNull(),
  });
  const entries = table(`${tableName}_inbox_entries`, {
    conversationId: idColumn("conversation_id").notNull(),
    key: idColumn("key").notNull(),
    number: countColumn("number").notNull(),
    /** Null: the entry was removed, and only its key is still known. */
    content: text("content"),
    putAt: timeColumn("put_at").notNull(),
  });
  return { inboxes, entries };
}
