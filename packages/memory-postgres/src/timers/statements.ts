import { MOST_TIMERS } from "@jaf/memory/adapter";
import { type SQL, sql } from "drizzle-orm";
import { reusable, statementTime } from "../client/statements.ts";
import { createTimerTables } from "../migrations/timers.ts";
import type { ResolvedNames } from "../table-names.ts";

const conversationId = sql`${sql.placeholder("conversationId")}::text`;
const timerId = sql`${sql.placeholder("timerId")}::text`;
const userId = sql`${sql.placeholder("userId")}::text`;
const atMs = sql`${sql.placeholder("atMs")}::bigint`;
const content = sql`${sql.placeholder("content")}::text`;
const fromMs = sql`${sql.placeholder("fromMs")}::bigint`;
const limit = sql`${sql.placeholder("limit")}::bigint`;

const most = sql.raw(String(MOST_TIMERS));
const nowMs = sql`floor(date_part('epoch', ${statementTime}) * 1000)::bigint`;

/** Creates the statements on the table of timers. */
export function createTimerStatements(names: ResolvedNames) {
  const { timers } = createTimerTables(names);

  // The difference can't use the index of times: many timers may be due at the same time.
  const isDueThen = sql`timer.at_ms - ${fromMs} = 0`;
  const isNamed = sql`timer.conversation_id = ${conversationId} AND timer.timer_id = ${timerId}`;

  const select = (condition: SQL, order: SQL): SQL => sql`
      SELECT json_build_object('conversationId', timer.conversation_id, 'timerId', timer.timer_id,
        'userId', timer.user_id, 'atMs', timer.at_ms, 'content', timer.content)::text AS timer
      FROM ${timers} AS timer WHERE ${condition}
      ORDER BY ${order} LIMIT ${limit}`;
  // The sum can't use the index of times, which would go through the timers of all users.
  const selectOf = (condition: SQL): SQL => select(condition, sql`timer.at_ms + 0`);

  // All erasures lock rows in the same order, so none waits for one that waits for it. The condition is repeated, so that
  // the deletion uses the same index again.
  const erase = (condition: SQL): SQL => sql`
      WITH doomed AS MATERIALIZED (
        SELECT timer.conversation_id, timer.timer_id FROM ${timers} AS timer WHERE ${condition}
        ORDER BY timer.conversation_id, timer.timer_id FOR UPDATE OF timer
      ), gone AS (
        DELETE FROM ${timers} AS timer USING doomed WHERE (timer.conversation_id, timer.timer_id)
          = (doomed.conversation_id, doomed.timer_id) AND ${condition}
        RETURNING 1
      )
      SELECT count(*)::text AS erased FROM gone`;

  return {
    /**
     * Returns an `outcome` (`set` or `full`), or no row if it must be sent again. May fail with a unique violation; then
     * it must be sent again, too.
     */
    // Each timer has a place of its own among those of its user, and the index of the places lets two never share one.
    // So the number of a user's timers is limited however many sets run at the same time. The place of a new timer is a
    // random one, so that sets of a user rarely choose the same.
    set: reusable<"conversationId" | "timerId" | "userId" | "atMs" | "content">(sql`
      WITH known AS MATERIALIZED (
        SELECT timer.user_id FROM ${timers} AS timer WHERE ${isNamed}
      ), free AS MATERIALIZED (
        SELECT number FROM generate_series(1, ${most}) AS number
        WHERE NOT EXISTS (SELECT FROM known WHERE known.user_id = ${userId})
          AND number NOT IN (SELECT timer.place FROM ${timers} AS timer WHERE timer.user_id = ${userId})
        ORDER BY random() LIMIT 1
      ), replaced AS (
        UPDATE ${timers} AS timer SET user_id = ${userId}, at_ms = ${atMs}, content = ${content},
          place = coalesce((SELECT number FROM free), timer.place)
        FROM known WHERE ${isNamed} AND timer.user_id = known.user_id
          AND (known.user_id = ${userId} OR EXISTS (SELECT FROM free))
        RETURNING 1
      ), added AS (
        INSERT INTO ${timers} (conversation_id, timer_id, user_id, place, at_ms, content)
        SELECT ${conversationId}, ${timerId}, ${userId}, number, ${atMs}, ${content} FROM free
        WHERE NOT EXISTS (SELECT FROM known)
        ON CONFLICT DO NOTHING
        RETURNING 1
      )
      SELECT 'set' AS outcome WHERE EXISTS (SELECT FROM replaced) OR EXISTS (SELECT FROM added)
      UNION ALL SELECT 'full' WHERE NOT EXISTS (SELECT FROM free)
        AND NOT EXISTS (SELECT FROM known WHERE known.user_id = ${userId})`),

    due: reusable<"limit">(select(sql`timer.at_ms <= ${nowMs}`, sql`timer.at_ms`)),
    find: reusable<"userId" | "limit">(selectOf(sql`timer.user_id = ${userId}`)),
    findIn: reusable<"userId" | "conversationId" | "limit">(
      selectOf(sql`timer.user_id = ${userId} AND timer.conversation_id = ${conversationId}`),
    ),

    // Of several at the same time, the row's lock lets one change the time; the others then don't find theirs.
    move: reusable<"conversationId" | "timerId" | "fromMs" | "atMs">(sql`
      WITH changed AS (
        UPDATE ${timers} AS timer SET at_ms = ${atMs} WHERE ${isNamed} AND ${isDueThen} RETURNING 1
      )
      SELECT count(*)::text AS changed FROM changed`),
    end: reusable<"conversationId" | "timerId" | "fromMs">(sql`
      WITH changed AS (
        DELETE FROM ${timers} AS timer WHERE ${isNamed} AND ${isDueThen} RETURNING 1
      )
      SELECT count(*)::text AS changed FROM changed`),

    remove: reusable<"conversationId" | "timerId">(erase(isNamed)),
    deleteConversation: reusable<"conversationId">(erase(sql`timer.conversation_id = ${conversationId}`)),
    deleteUser: reusable<"userId">(erase(sql`timer.user_id = ${userId}`)),
  };
}
