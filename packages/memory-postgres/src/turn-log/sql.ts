import { type SQL, sql } from "drizzle-orm";

/** The database's clock, anew at each use. In a condition that an index is to serve it has to be {@link clockOnce}. */
export const clock = sql`clock_timestamp()`;
export const clockOnce = sql`(SELECT clock_timestamp())`;

/** As an interval. */
export const seconds = (count: SQL): SQL => sql`${count} * interval '1 second'`;

/** How long a turn is there from now on if nobody goes on with it. */
export const longest = (leaseSeconds: SQL, keepSeconds: SQL): SQL =>
  seconds(sql`greatest(${leaseSeconds}, ${keepSeconds})`);

export const conversationId = sql`${sql.placeholder("conversationId")}::text`;
export const turnId = sql`${sql.placeholder("turnId")}::text`;
export const userId = sql`${sql.placeholder("userId")}::text`;
export const token = sql`${sql.placeholder("token")}::text`;

/** One turn, whatever its state. */
export const isTurn = sql`turn.conversation_id = ${conversationId} AND turn.turn_id = ${turnId}`;
/** It is there for whoever asks. */
export const isVisible = sql`turn.expires_at > ${clock}`;
/** Its writer, or one that takes over, may go on with it. */
export const isRunning = sql`turn.state = 'running' AND ${isVisible}`;

/** A row of the table of turns under the name `turn`, as `decoding.ts` reads it. As JSON: PGlite drops byte order marks. */
export const shownTurn = sql`json_build_object(
  'conversationId', turn.conversation_id, 'userId', turn.user_id, 'turnId', turn.turn_id, 'state', turn.state,
  'startedAt', floor(date_part('epoch', turn.started_at) * 1000), 'events', turn.events,
  'stopRequested', turn.stop_requested, 'record', turn.record
)::text`;
