import { sql } from "drizzle-orm";
import {
  boolean,
  doublePrecision,
  foreignKey,
  index,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { countColumn, exactTextColumn, idColumn, tableIn } from "../schema/columns.ts";
import type { TableNames } from "../schema/names.ts";

/** The ends of the tables' names, after the prefix. */
export const TURNS_SUFFIX = "_turns";
export const TURN_EVENTS_SUFFIX = "_turn_events";

const timeColumn = (name: string) => timestamp(name, { withTimezone: true });

/**
 * The definition of the schema, like `schema/tables.ts` for conversations. Times are by the database's clock. What each append
 * changes is in no index, so that it is an update within the page.
 */
export function createTurnTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  const turns = table(
    `${tableName}${TURNS_SUFFIX}`,
    {
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
    },
    ({ conversationId, turnId, userId, state, startedAt, dueAt }) => [
      primaryKey({ name: `${tableName}_turns_pkey`, columns: [conversationId, turnId] }),
      index(`idx_${tableName}_turns_started`).on(conversationId, startedAt),
      uniqueIndex(`idx_${tableName}_turns_open`).on(conversationId).where(sql`${state} <> 'ended'`),
      index(`idx_${tableName}_turns_user`).on(userId, state, startedAt),
      index(`idx_${tableName}_turns_lease`).on(dueAt).where(sql`${state} = 'running'`),
      index(`idx_${tableName}_turns_due`).on(dueAt).where(sql`${state} <> 'running'`),
    ],
  );
  const events = table(
    `${tableName}${TURN_EVENTS_SUFFIX}`,
    {
      conversationId: idColumn("conversation_id").notNull(),
      turnId: idColumn("turn_id").notNull(),
      /** The number of the first of the texts. */
      first: countColumn("first").notNull(),
      /** Those of one append. */
      texts: text("texts").array().notNull(),
    },
    ({ conversationId, turnId, first }) => [
      primaryKey({ name: `${tableName}_turn_events_pkey`, columns: [conversationId, turnId, first] }),
      foreignKey({
        name: `${tableName}_turn_events_turn`,
        columns: [conversationId, turnId],
        foreignColumns: [turns.conversationId, turns.turnId],
      }).onDelete("cascade"),
    ],
  );
  return { turns, events };
}
