import { integer, text } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";
import { countColumn, ddl, idColumn, type TableGroup, tableIn } from "./table-group.ts";

/** The group with the table of timers. */
export const timerTables: TableGroup = {
  journalSuffix: "_timer_migrations",
  tables: ["_timers"],
  migrations: [
    {
      name: "initial",
      sql: ddl`
CREATE TABLE "__p___timers" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"timer_id" varchar(255) COLLATE "C" NOT NULL,
	"user_id" varchar(255) COLLATE "C" NOT NULL,
	"place" integer NOT NULL,
	"at_ms" bigint NOT NULL,
	"content" text NOT NULL,
	CONSTRAINT "__p___timers_pkey" PRIMARY KEY ("conversation_id", "timer_id")
);
CREATE UNIQUE INDEX "idx___p___timers_user" ON "__p___timers" ("user_id", "place");
CREATE INDEX "idx___p___timers_due" ON "__p___timers" ("at_ms");
-- Statistics keep samples of a column's values, even after the values were deleted. So there are none of what was said.
ALTER TABLE "__p___timers" ALTER COLUMN "content" SET STATISTICS 0;
`,
    },
  ],
  remedy: 'migrate(), or the script of printMigrations(), with `groups: ["timers"]`',
};

/** The table of timers with its columns, for queries. */
export function createTimerTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  const timers = table(`${tableName}_timers`, {
    conversationId: idColumn("conversation_id").notNull(),
    timerId: idColumn("timer_id").notNull(),
    userId: idColumn("user_id").notNull(),
    /** A number from 1 to `MOST_TIMERS` that no other timer of the user has. So no user has more timers than that. */
    place: integer("place").notNull(),
    /** When the timer is due, in milliseconds since 1970: exact for every date of JavaScript. */
    atMs: countColumn("at_ms").notNull(),
    content: text("content").notNull(),
  });
  return { timers };
}
