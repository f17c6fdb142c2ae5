import { type SQL, sql } from "drizzle-orm";
import { jsonTextOf, reusable } from "../client/statements.ts";
import { createTurnTables } from "../migrations/turn-log.ts";
import type { ResolvedNames } from "../table-names.ts";

/** SQL for the database's time, read again for each row. A condition that needs an index must use `clockOnce`. */
export const clock = sql`clock_timestamp()`;
const clockOnce = sql`(SELECT clock_timestamp())`;

/** Returns SQL that converts a number of seconds into an interval. */
export const seconds = (count: SQL): SQL => sql`${count} * interval '1 second'`;

/** Returns SQL for the longer of two times: `leaseSeconds` and `keepSeconds`. */
export const longest = (leaseSeconds: SQL, keepSeconds: SQL): SQL =>
  seconds(sql`greatest(${leaseSeconds}, ${keepSeconds})`);

const conversationId = sql`${sql.placeholder("conversationId")}::text`;
const turnId = sql`${sql.placeholder("turnId")}::text`;
const userId = sql`${sql.placeholder("userId")}::text`;
const token = sql`${sql.placeholder("token")}::text`;

/** An SQL condition that selects one turn, in any state. */
const isTurn = sql`turn.conversation_id = ${conversationId} AND turn.turn_id = ${turnId}`;
/** An SQL condition that selects turns that haven't expired. */
const isVisible = sql`turn.expires_at > ${clock}`;
/** An SQL condition that selects running turns that haven't expired. */
const isRunning = sql`turn.state = 'running' AND ${isVisible}`;

/** SQL for a turn as JSON. It needs a row of the table of turns with the name `turn`. */
// JSON, because PGlite drops a byte order mark at the start of a text.
const turnJson = sql`json_build_object(
  'conversationId', turn.conversation_id, 'userId', turn.user_id, 'turnId', turn.turn_id, 'state', turn.state,
  'startedAt', floor(date_part('epoch', turn.started_at) * 1000), 'events', turn.events,
  'stopRequested', turn.stop_requested, 'record', turn.record
)::text`;

/** How many other turns are cleaned up at most when a turn begins. */
// Turns that have expired, and turns whose events have expired, so they don't pile up.
const MOST_REMOVED = 10;

/**
 * Creates the statements on single turns and on lists of turns. `removesExpired`: whether the statement `begin` removes
 * some expired turns.
 */
export function createTurnStatements(names: ResolvedNames, { removesExpired }: { removesExpired: boolean }) {
  // A statement that changes several rows locks them in the order of their keys, or skips locked rows, which prevents
  // deadlocks.
  const { turns, events } = createTurnTables(names);

  const leaseEnds = sql`time.now + ${seconds(sql`turn.lease_seconds`)}`;
  const limit = sql`${sql.placeholder("limit")}::bigint`;

  const erase = (condition: SQL): SQL => sql`
      WITH doomed AS MATERIALIZED (
        SELECT turn.conversation_id, turn.turn_id FROM ${turns} AS turn WHERE ${condition}
        ORDER BY turn.conversation_id, turn.turn_id FOR UPDATE OF turn
      ), gone AS (
        DELETE FROM ${turns} AS turn USING doomed
        WHERE turn.conversation_id = doomed.conversation_id AND turn.turn_id = doomed.turn_id
        RETURNING ${isVisible} AS visible
      )
      SELECT (count(*) FILTER (WHERE visible))::text AS erased FROM gone`;

  return {
    begin: reusable<BeginValues>(sql`
      ${beginning(turns)}${removesExpired ? removing(turns, events) : sql``}
      SELECT ${turnJson} AS turn, (turn.token = ${token})::text AS begun FROM begun AS turn
      UNION ALL SELECT ${turnJson}, 'false' FROM known AS turn`),

    takeOver: reusable<"conversationId" | "turnId" | "token">(sql`
      UPDATE ${turns} AS turn SET token = ${token}, lease_ends_at = ${leaseEnds}, due_at = ${leaseEnds},
        expires_at = time.now + ${longest(sql`turn.lease_seconds`, sql`turn.keep_seconds`)}
      FROM (SELECT ${clock} AS now OFFSET 0) AS time
      WHERE ${isTurn} AND ${isRunning} AND turn.lease_ends_at <= ${clock}
      RETURNING ${turnJson} AS turn, ${jsonTextOf(sql`turn.request`)} AS request`),

    release: reusable<"conversationId" | "turnId" | "token">(sql`
      UPDATE ${turns} AS turn
      SET lease_ends_at = time.now, due_at = least(turn.due_at, time.now)
      FROM (SELECT ${clock} AS now OFFSET 0) AS time
      WHERE ${isTurn} AND turn.token = ${token} AND ${isRunning}`),

    requestStop: reusable<"conversationId" | "turnId">(sql`
      UPDATE ${turns} AS turn SET stop_requested = true WHERE ${isTurn} AND ${isRunning} RETURNING 1`),

    turnsOf: reusable<"conversationId" | "limit">(sql`
      SELECT ${turnJson} AS turn FROM ${turns} AS turn
      WHERE turn.conversation_id = ${conversationId} AND ${isVisible}
      ORDER BY turn.started_at DESC LIMIT ${limit}`),

    find: reusable<"userId" | "state" | "limit">(sql`
      SELECT ${turnJson} AS turn FROM ${turns} AS turn
      WHERE turn.user_id = ${userId} AND turn.state = ${sql.placeholder("state")}::text AND ${isVisible}
      ORDER BY turn.started_at DESC LIMIT ${limit}`),

    abandoned: reusable<"limit">(sql`
      SELECT ${turnJson} AS turn FROM ${turns} AS turn
      WHERE turn.state = 'running' AND turn.due_at <= ${clockOnce} AND turn.lease_ends_at <= ${clock} AND ${isVisible}
      ORDER BY turn.lease_ends_at LIMIT ${limit}`),

    deleteConversation: reusable<"conversationId">(erase(sql`turn.conversation_id = ${conversationId}`)),

    deleteUser: reusable<"userId">(erase(sql`turn.user_id = ${userId}`)),
  };
}

/**
 * Returns a statement that runs the query `write` and begins a turn, or does neither. `write` must have a column
 * `outcome`, which begins with `written` if the write was made.
 */
export function beginAfter(names: ResolvedNames, write: SQL): SQL {
  // If nothing can be written or begun, the statement fails with `invalid_text_representation`.
  const { turns, events } = createTurnTables(names);
  const isDone = sql`outcome LIKE 'written %' AND EXISTS (SELECT FROM begun WHERE begun.token = ${token})`;
  return sql`${beginning(turns, write)}${removing(turns, events)}
      SELECT outcome, CASE WHEN NOT (${isDone}) THEN ('no turn begins: ' || outcome)::int END AS refused FROM first`;
}

type Table = ReturnType<typeof createTurnTables>["turns" | "events"];

export type BeginValues =
  | "conversationId"
  | "turnId"
  | "userId"
  | "token"
  | "request"
  | "leaseSeconds"
  | "keepSeconds";

/**
 * Returns the part of a statement that begins a turn. Its query `begun` returns the new turn or a concurrent one. Its
 * query `known` returns the turns that prevent a new one: a running turn, and a turn with the same id.
 */
function beginning(turns: Table, first?: SQL): SQL {
  // A unique index permits only one open turn (running or waiting) in a conversation. So if a turn is waiting, the
  // statement ends it before it inserts the new turn.
  const leaseSeconds = sql`${sql.placeholder("leaseSeconds")}::float8`;
  const keepSeconds = sql`${sql.placeholder("keepSeconds")}::bigint`;
  const leaseEnds = sql`time.now + ${seconds(leaseSeconds)}`;
  return sql`WITH ${first === undefined ? sql`` : sql`first AS MATERIALIZED (${first}), `}at AS MATERIALIZED (
        SELECT ${clock} AS now${first === undefined ? sql`` : sql` FROM first`}
      ), known AS MATERIALIZED (
        SELECT turn.* FROM ${turns} AS turn, at WHERE turn.conversation_id = ${conversationId}
          AND (turn.state = 'running' OR turn.turn_id = ${turnId}) AND turn.expires_at > at.now
      ), gone AS (
        DELETE FROM ${turns} AS turn USING at WHERE turn.conversation_id = ${conversationId}
          AND (turn.state <> 'ended' OR turn.turn_id = ${turnId}) AND turn.expires_at <= at.now
        RETURNING 1
      ), ended AS (
        UPDATE ${turns} AS turn SET state = 'ended' FROM at WHERE turn.conversation_id = ${conversationId}
          AND turn.state = 'waiting' AND turn.expires_at > at.now AND NOT EXISTS (SELECT FROM known)
        RETURNING 1
      ), time AS MATERIALIZED (
        SELECT ${clock} AS now WHERE (SELECT count(*) FROM gone) + (SELECT count(*) FROM ended) >= 0
      ), begun AS (
        INSERT INTO ${turns} AS turn (conversation_id, turn_id, user_id, state, token, request, lease_seconds, keep_seconds,
          lease_ends_at, due_at, expires_at, events, started_at)
        SELECT ${conversationId}, ${turnId}, ${userId}, 'running', ${token}, ${sql.placeholder("request")}::text,
          ${leaseSeconds}, ${keepSeconds}, ${leaseEnds}, ${leaseEnds}, time.now + ${longest(leaseSeconds, keepSeconds)}, 0,
          greatest(time.now, (
            SELECT max(turn.started_at) FROM ${turns} AS turn WHERE turn.conversation_id = ${conversationId}
          ) + interval '1 microsecond')
        FROM time WHERE NOT EXISTS (SELECT FROM known)
        ON CONFLICT (conversation_id) WHERE state <> 'ended' DO UPDATE SET state = turn.state
        RETURNING turn.*
      )`;
}

/** Returns the part of a statement that removes some expired turns and events. */
function removing(turns: Table, events: Table): SQL {
  const due = (condition: SQL): SQL => sql`
        SELECT turn.conversation_id, turn.turn_id, turn.expires_at <= at.now AS whole FROM ${turns} AS turn, at
        WHERE EXISTS (SELECT FROM begun) AND ${condition} AND turn.due_at <= (SELECT now FROM at)
          AND turn.conversation_id <> ${conversationId}
        ORDER BY turn.due_at LIMIT ${sql.raw(String(MOST_REMOVED))} FOR UPDATE OF turn SKIP LOCKED`;
  const isRow = (row: SQL): SQL =>
    sql`${row}.conversation_id = due.conversation_id AND ${row}.turn_id = due.turn_id`;
  return sql`, over AS (${due(sql`turn.state <> 'running'`)}
      ), left_running AS (${due(sql`turn.state = 'running' AND turn.expires_at <= at.now`)}
      ), due AS MATERIALIZED (SELECT * FROM over UNION ALL SELECT * FROM left_running
      ), removed AS (DELETE FROM ${turns} AS turn USING due WHERE due.whole AND ${isRow(sql`turn`)}
      ), emptied AS (DELETE FROM ${events} AS event USING due WHERE NOT due.whole AND ${isRow(sql`event`)}
      ), kept AS (UPDATE ${turns} AS turn SET due_at = turn.expires_at FROM due WHERE NOT due.whole AND ${isRow(sql`turn`)})`;
}

/**
 * Creates the statement that reads several turns. Its placeholder is a JSON array of queries with `conversation_id`,
 * `turn_id` (null for the latest turn), `first` (number of the first event) and `limit`. It returns a row for each
 * query that finds a turn, with the number of the query as `nth`, from 1.
 */
export function createReadStatement(names: ResolvedNames) {
  const { turns, events } = createTurnTables(names);
  return reusable<"queries">(sql`
      SELECT asked.nth::text AS nth, ${turnJson} AS turn, found.start::text AS start, found.texts::text AS texts
      FROM ROWS FROM (json_to_recordset(${sql.placeholder("queries")}::text::json)
        AS (conversation_id text, turn_id text, first bigint, "limit" bigint)
      ) WITH ORDINALITY AS asked (conversation_id, turn_id, first, most, nth)
      CROSS JOIN LATERAL (
        (SELECT turn.* FROM ${turns} AS turn
        WHERE turn.conversation_id = asked.conversation_id AND turn.turn_id = asked.turn_id AND ${isVisible})
        UNION ALL
        (SELECT turn.* FROM ${turns} AS turn
        WHERE asked.turn_id IS NULL AND turn.conversation_id = asked.conversation_id AND ${isVisible}
        ORDER BY turn.started_at DESC LIMIT 1)
      ) AS turn
      LEFT JOIN LATERAL (
        SELECT min(event.first) AS start, json_agg(event.texts ORDER BY event.first) AS texts FROM ${events} AS event
        WHERE event.conversation_id = turn.conversation_id AND event.turn_id = turn.turn_id
          AND event.first < asked.first + asked.most AND event.first >= coalesce((
            SELECT max(earlier.first) FROM ${events} AS earlier
            WHERE earlier.conversation_id = turn.conversation_id AND earlier.turn_id = turn.turn_id
              AND earlier.first <= asked.first
          ), 0)
      ) AS found ON turn.events_expire_at IS NULL OR turn.events_expire_at > ${clock}
      ORDER BY asked.nth`);
}
