import { sql } from "drizzle-orm";
import type { ResolvedNames } from "../schema/names.ts";
import { reusable } from "../statements.ts";
import { clock, isVisible, shownTurn } from "./sql.ts";
import { createTurnTables } from "./tables.ts";

/**
 * Answers several queries: JSON objects with `conversation_id`, `turn_id` or null for the latest turn, `first` and `limit`.
 * `nth`: which of them, from 1; of one without a turn there is no row. `texts`: the appends that hold the wanted events.
 */
export function createReadStatement(names: ResolvedNames) {
  const { turns, events } = createTurnTables(names);
  return reusable<"queries">(sql`
      SELECT asked.nth::text AS nth, ${shownTurn} AS turn, found.start::text AS start, found.texts::text AS texts
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
