import { TOMBSTONE_SECONDS } from "@jaf/memory/adapter";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Statement } from "./client/port.ts";
import { qualifiedName, type ResolvedNames } from "./schema/names.ts";
import { createTables } from "./schema/tables.ts";
import {
  conversationsOf,
  jsonTextOf,
  millisecondsOf,
  statementTime,
  toStatement,
  toWrite,
} from "./statements.ts";

/** Which conversations are due for deletion: those of this age in days, or those that have expired. */
export type Due = { readonly olderThanDays: number } | "expired";

/** How far a sweep has come. */
export interface DuePosition {
  /** In milliseconds since 1970; where it was written by hand, perhaps infinite. */
  readonly time: number;
  readonly conversationId: string;
}

const SECONDS_PER_DAY = 86_400;

// Longer ago than anything was written, and still a year that Postgres has.
const MOST_DAYS = 2_000_000;

/** The statements that delete many conversations, some at a time. */
export function createBulkQueries(names: ResolvedNames) {
  const { columns: conversations, source, live } = conversationsOf(names);
  const { conversationId, userId, totalMessages, lastActivity, expiresAt } = conversations;

  const { tombstones } = createTables(names);

  const columns = sql`${jsonTextOf(conversationId)} AS id, ${totalMessages}::text AS messages`;

  const isOneOf = (ids: readonly string[]): SQL => sql`${conversationId} = ANY (${sql.param(ids)}::text[])`;

  const ageOf = (days: number): SQL =>
    sql`make_interval(secs => ${Math.min(days, MOST_DAYS) * SECONDS_PER_DAY}::float8)`;

  // That a time isn't before all times says nothing, but makes the planner expect few rows.
  const isDue = (due: Due): SQL =>
    due === "expired"
      ? sql`${expiresAt} <= ${statementTime}`
      : sql`${lastActivity} >= '-infinity' AND ${lastActivity} < ${statementTime} - ${ageOf(due.olderThanDays)}`;

  const leaveTombstones = sql`, left_behind AS (
    INSERT INTO ${tombstones} (key, id, expires_at)
    SELECT ${sql.raw(qualifiedName(names, "_tombstone_key"))}('conversation', conversation_id), gen_random_uuid(),
      clock_timestamp() + make_interval(secs => ${TOMBSTONE_SECONDS}::bigint)
    FROM deleted
    ON CONFLICT (key) DO UPDATE SET id = excluded.id, expires_at = excluded.expires_at)`;

  /** `locked` selects what to delete, with a row lock; `then` is what follows from `deleted`. */
  const deleteLocked = (locked: SQL, then = sql``): Statement =>
    toWrite(sql`
      WITH locked AS (${locked}), deleted AS (
        DELETE FROM ${source} WHERE ${conversationId} = ANY (ARRAY(SELECT conversation_id FROM locked))
        RETURNING ${conversationId}, (${live}) AS was_live
      )${then}
      SELECT count(*)::text AS deleted, (count(*) FILTER (WHERE was_live))::text AS were_live FROM deleted`);

  return {
    /** The next of a user, in the order of their ids. */
    listOwn: (owner: string, after: string, limit: number): Statement =>
      toStatement(sql`
        SELECT ${columns} FROM ${source} WHERE ${eq(userId, owner)} AND ${conversationId} > ${after}
        ORDER BY ${conversationId} LIMIT ${limit}::bigint`),

    // Locked in a fixed order: two of them at once wait for each other and don't deadlock. A tombstone comes after its
    // conversation, as where one is deleted.
    deleteOwn: (owner: string, ids: readonly string[]): Statement =>
      deleteLocked(
        sql`
        SELECT ${conversationId} FROM ${source} WHERE ${isOneOf(ids)} AND ${eq(userId, owner)}
        ORDER BY ${conversationId} FOR UPDATE`,
        leaveTombstones,
      ),

    /** The next that are due, longest due first. */
    listDue: (due: Due, after: DuePosition | undefined, limit: number): Statement => {
      const time = due === "expired" ? expiresAt : lastActivity;
      const later =
        after &&
        sql`(${time}, ${conversationId}) > (to_timestamp(${after.time}::float8 / 1000), ${after.conversationId})`;
      return toStatement(sql`
        SELECT ${columns}, ${millisecondsOf(time)} AS time
        FROM ${source} WHERE ${and(isDue(due), later)}
        ORDER BY ${time}, ${conversationId} LIMIT ${limit}::bigint`);
    },

    // Skips rows that are locked: so it never waits, and can't deadlock.
    deleteDue: (due: Due, ids: readonly string[]): Statement =>
      deleteLocked(sql`
        SELECT ${conversationId} FROM ${source} WHERE ${isOneOf(ids)} AND ${isDue(due)}
        FOR UPDATE SKIP LOCKED`),

    /** Deletes expired tombstones, and never waits either. */
    deleteTombstones: (limit: number): Statement =>
      toWrite(sql`
        WITH deleted AS (
          DELETE FROM ${tombstones} WHERE ${tombstones.key} = ANY (ARRAY(
            SELECT ${tombstones.key} FROM ${tombstones} WHERE ${tombstones.expiresAt} <= ${statementTime}
            ORDER BY ${tombstones.expiresAt} LIMIT ${limit}::bigint FOR UPDATE SKIP LOCKED
          )) RETURNING 1
        )
        SELECT count(*)::text AS deleted FROM deleted`),
  };
}
