import type { AppendedEvents, TurnWriter } from "@jaf/memory/adapter";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { SqlClient } from "../client/clients.ts";
import type { SqlRow } from "../client/statement.ts";
import { reusable } from "../client/statements.ts";
import { isRefusal } from "../errors.ts";
import { createTurnTables } from "../migrations/turn-log.ts";
import type { ResolvedNames } from "../table-names.ts";
import { createGroupQueue, type GroupQueue } from "./group-queue.ts";
import { clock, longest, seconds } from "./statements.ts";

/**
 * The outcome of an append to a turn, or of a renewal of its lease. `held`: the writer holds the lease, and the events
 * are stored. `lost`: the writer has lost the lease. `gap`: events before the first given one are missing.
 */
export type AppendOutcome =
  | { readonly kind: "held"; readonly stopRequested: boolean }
  | { readonly kind: "lost" }
  | { readonly kind: "gap" };

/** An append to a turn. Without `first` and `events`, it only renews the turn's lease. */
interface Append extends Partial<Pick<AppendedEvents, "first" | "events" | "end">> {
  readonly writer: TurnWriter;
}

export type AppendQueue = GroupQueue<Append, AppendOutcome>;

/** An {@link Append} as the database gets it, in a JSON array. */
interface AppendRow {
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly token: string;
  /** The number of the first event. `null`: the append only renews the lease. */
  readonly first: number | null;
  readonly texts: readonly string[];
  /** The state of the turn after the append. `null`: the turn continues. */
  readonly state: "waiting" | "ended" | null;
  readonly record: string | null;
  readonly event_seconds: number | null;
  readonly record_seconds: number | null;
}

const toRow = ({ writer, first, events, end }: Append): AppendRow => ({
  conversation_id: writer.conversationId,
  turn_id: writer.turnId,
  token: writer.token,
  first: first ?? null,
  texts: events ?? [],
  state: end?.state ?? null,
  record: end?.record ?? null,
  event_seconds: end?.eventSeconds ?? null,
  record_seconds: end?.recordSeconds ?? null,
});

const keyOf = ({ writer: { conversationId, turnId } }: Append): string =>
  JSON.stringify([conversationId, turnId]);

const outcomeSchema = z.enum(["held", "lost", "gap"]);

function toOutcome(row: SqlRow): AppendOutcome {
  const kind = outcomeSchema.parse(row["outcome"]);
  return kind === "held" ? { kind, stopRequested: row["stop_requested"] === "true" } : { kind };
}

/** Creates a queue that sends appends to turns. Appends that wait for a statement to end share the next statement. */
export function createAppendQueue({
  sql,
  names,
}: {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
}): AppendQueue {
  const one = createAppendStatement(names, { waits: true });
  const several = createAppendStatement(names, { waits: false });

  async function sendOne(append: Append): Promise<AppendOutcome> {
    const rows = JSON.stringify([toRow(append)]);
    const [row] = await sql.query({ ...one({ rows }), writes: true });
    return row === undefined ? { kind: "lost" } : toOutcome(row);
  }

  async function sendGroup(packed: readonly string[]): Promise<readonly (AppendOutcome | undefined)[]> {
    try {
      const rows = await sql.query({ ...several({ rows: `[${packed.join(",")}]` }), writes: true });
      const answers = new Map(rows.map((row) => [Number(row["nth"]), toOutcome(row)]));
      return packed.map((_, index) => answers.get(index + 1));
    } catch (thrown) {
      // After any other failure, it is unknown whether the appends took effect, so each of them fails.
      if (!isRefusal(thrown)) throw thrown;
      return packed.map(() => undefined);
    }
  }

  // A single connection gains nothing from groups, and the statements may be part of a transaction of the application.
  if (!sql.concurrent) return { add: sendOne, drained: async () => {} };
  return createGroupQueue({ keyOf, pack: (append) => JSON.stringify(toRow(append)), sendOne, sendGroup });
}

/**
 * Creates the statement that appends to several turns. Its placeholder is a JSON array of {@link AppendRow}. It returns
 * a row for each append that it made or refused, with the append's number in the array as `nth`, from 1.
 */
export function createAppendStatement(names: ResolvedNames, { waits }: { readonly waits: boolean }) {
  // There is no row for a missing turn, and none for a second append to the same turn. If `waits` is false, there is no
  // row for a locked turn: so the statement never waits for a lock while it holds other locks.
  const { turns, events } = createTurnTables(names);
  const leaseEnds = sql`done.now + ${seconds(sql`turn.lease_seconds`)}`;
  const kept = longest(sql`turn.lease_seconds`, sql`turn.keep_seconds`);
  const eventsExpire = sql`done.now + ${seconds(sql`done.event_seconds`)}`;
  return reusable<"rows">(sql`
      WITH given AS MATERIALIZED (
        SELECT DISTINCT ON (conversation_id, turn_id) *
        FROM ROWS FROM (json_to_recordset(${sql.placeholder("rows")}::text::json) AS (
          conversation_id text COLLATE "C", turn_id text COLLATE "C", token text, first bigint, texts text[],
          state text, record text, event_seconds float8, record_seconds float8
        )) WITH ORDINALITY AS given (
          conversation_id, turn_id, token, first, texts, end_state, record, event_seconds, record_seconds, nth
        ) ORDER BY conversation_id, turn_id, nth
      ), locked AS MATERIALIZED (
        SELECT given.*, turn.events, turn.state, turn.stop_requested, turn.expires_at, turn.token = given.token AS is_writer
        FROM given JOIN ${turns} AS turn
          ON turn.conversation_id = given.conversation_id AND turn.turn_id = given.turn_id
        ORDER BY turn.conversation_id, turn.turn_id FOR NO KEY UPDATE OF turn${waits ? sql`` : sql` SKIP LOCKED`}
      ), timed AS MATERIALIZED (SELECT *, ${clock} AS now FROM locked
      ), decided AS MATERIALIZED (
        SELECT *, first + cardinality(texts) AS next, CASE
          WHEN NOT is_writer OR expires_at <= now THEN 'lost'
          WHEN state <> 'running' THEN
            CASE WHEN end_state IS NOT NULL AND first + cardinality(texts) <= events THEN 'held' ELSE 'lost' END
          WHEN first > events THEN 'gap'
          ELSE 'held'
        END AS outcome FROM timed
      ), done AS (SELECT * FROM decided WHERE outcome = 'held' AND state = 'running'
      ), written AS (
        UPDATE ${turns} AS turn SET
          events = greatest(turn.events, done.next), state = coalesce(done.end_state, turn.state),
          request = CASE WHEN done.end_state IS NULL THEN turn.request END, record = done.record,
          lease_ends_at = ${leaseEnds},
          events_expire_at = CASE WHEN done.end_state IS NOT NULL THEN ${eventsExpire} END,
          expires_at = CASE WHEN done.end_state IS NULL THEN done.now + ${kept}
            ELSE done.now + ${seconds(sql`done.record_seconds`)} END,
          due_at = CASE WHEN done.end_state IS NOT NULL THEN ${eventsExpire}
            WHEN turn.due_at <= done.now THEN ${leaseEnds} ELSE least(turn.due_at, ${leaseEnds}) END
        FROM done WHERE turn.conversation_id = done.conversation_id AND turn.turn_id = done.turn_id
      ), stored AS (
        INSERT INTO ${events} (conversation_id, turn_id, first, texts)
        SELECT conversation_id, turn_id, events, texts[events - first + 1:] FROM done WHERE next > events
      )
      SELECT nth::text AS nth, outcome, stop_requested::text AS stop_requested FROM decided`);
}
