import { boolean, doublePrecision, text, timestamp } from "drizzle-orm/pg-core";
import { countColumn, exactTextColumn, idColumn, tableIn } from "../schema/columns.ts";
import type { TableNames } from "../schema/names.ts";

const timeColumn = (name: string) => timestamp(name, { withTimezone: true });

/** The columns of the tables, for queries; see `migrations/turn-log.ts`. Times are by the database's clock. */
export function createTurnTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  const turns = table(`${tableName}_turns`, {
    conversationId: idColumn("conversation_id").notNull(),
    turnId: idColumn("turn_id").notNull(),
    userId: idColumn("user_id").notNull(),
    /** `running`, `waiting` or `ended`. */
    state: exactTextColumn("state").notNull(),
    /** Of the last writer. */
    token: text("token").notNull(),
    leaseSeconds: doublePrecision("lease_seconds").notNull(),
    keepSeconds: countColumn("keep_seconds").notNull(),
    leaseEndsAt: timeColumn("lease_ends_at").notNull(),
    /** How many there are, or were before they expired. */
    events: countColumn("events").notNull(),
    stopRequested: boolean("stop_requested").notNull().default(false),
    /** Only while it runs. */
    request: text("request"),
    /** Only once it has ended, or waits. */
    record: text("record"),
    /** Later than that of any turn of the conversation before. */
    startedAt: timeColumn("started_at").notNull(),
    /** Only once it has ended, or waits. */
    eventsExpireAt: timeColumn("events_expire_at"),
    expiresAt: timeColumn("expires_at").notNull(),
    /**
     * Of a running turn, a time that isn't after the end of its lease. Of another, when there is something to remove: its
     * events, or itself.
     */
    dueAt: timeColumn("due_at").notNull(),
  });
  const events = table(`${tableName}_turn_events`, {
    conversationId: idColumn("conversation_id").notNull(),
    turnId: idColumn("turn_id").notNull(),
    /** The number of the first of the texts. */
    first: countColumn("first").notNull(),
    /** Those of one append. */
    texts: text("texts").array().notNull(),
  });
  return { turns, events };
}
