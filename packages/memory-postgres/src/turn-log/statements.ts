import { type SQL, sql } from "drizzle-orm";
import { jsonTextOf, reusable } from "../client/statements.ts";
import { createTurnTables } from "../migrations/turn-log.ts";
import type { ResolvedNames } from "../table-names.ts";

/** The database's clock, read at each use. A condition that should use an index needs {@link clockOnce}. */
export const clock = sql`clock_timestamp()`;
const clockOnce = sql`(SELECT clock_timestamp())`;

/** Returns seconds as an interval. */
export const seconds = (count: SQL): SQL => sql`${count} * interval '1 second'`;

/** How long a turn lives from now on without further writes. */
export const longest = (leaseSeconds: SQL, keepSeconds: SQL): SQL =>
  seconds(sql`greatest(${leaseSeconds}, ${keepSeconds})`);

const conversationId = sql`${sql.placeholder("conversationId")}::text`;
const turnId = sql`${sql.placeholder("turnId")}::text`;
const userId = sql`${sql.placeholder("userId")}::text`;
const token = sql`${sql.placeholder("token")}::text`;

/** Selects one turn, in any state. */
const isTurn = sql`turn.conversation_id = ${conversationId} AND turn.turn_id = ${turnId}`;
/** Selects turns that haven't expired. */
const isVisible = sql`turn.expires_at > ${clock}`;
/** Selects turns that their writer, or one that takes over, may continue. */
const isRunning = sql`turn.state = 'running' AND ${isVisible}`;

/**
 * A row of the table of turns, named `turn`, in the form that `turn-log.ts` reads. As JSON, since PGlite drops byte
 * order marks.
 */
const turnJson = sql`json_build_object(
  'conversationId', turn.conversation_id, 'userId', turn.user_id, 'turnId', turn.turn_id, 'state', turn.state,
  'startedAt', floor(date_part('epoch', turn.started_at) * 1000), 'events', turn.events,
  'stopRequested', turn.stop_requested, 'record', turn.record
)::text`;

/** How many expired turns, or turns with expired events, are cleaned up when a turn begins, so they don't pile up. */
const MOST_REMOVED = 10;

/**
 * Creates the statements on single turns, and lists of turns. Each is atomic. Those that change several rows lock them
 * in the order of their keys, or skip locked rows, which prevents deadlocks.
 */
export function createTurnStatements(names: ResolvedNames, { removesExpired }: { removesExpired: boolean }) {
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
 * Returns a statement that runs `write`, which has a column `outcome`, and then begins a turn. It fails with
 * `invalid_text_representation`, and so changes nothing, unless the outcome begins with `written` and the turn has begun.
 */
export function beginAfter(names: ResolvedNames, write: SQL): SQL {
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
 * `begun`: the new turn, or the conversation's turn that another process began meanwhile. `known`: the existing turns
 * that prevent a new one: a running turn, and one with the same id.
 *
 * A unique index permits only one open turn per conversation, so an open turn has to end before the new one is
 * inserted. `first` is a query for what comes before the rest.
 */
function beginning(turns: Table, first?: SQL): SQL {
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

/** Removes some expired rows that aren't locked, after a turn has begun. */
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
 * Answers several queries: JSON objects with `conversation_id`, `turn_id` (or null for the latest turn), `first` and
 * `limit`. `nth`: the number of the query, from 1. A query without a turn has no row. `texts`: the appends with the
 * requested events.
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
