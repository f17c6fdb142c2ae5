import type { AppendedEvents, TurnWriter } from "@jaf/memory";
import * as z from "zod";
import type { SqlClient, SqlRow } from "../client/port.ts";
import { isRefusal } from "../errors.ts";
import type { ResolvedNames } from "../schema/names.ts";
import { type AppendRow, createAppendStatement } from "./append-statement.ts";
import { createGroupQueue, type GroupQueue } from "./group-queue.ts";

/** What an append or a renewal comes to. `held`: it was done, now or before. `gap`: events are missing before its first. */
export type AppendOutcome =
  | { readonly kind: "held"; readonly stopRequested: boolean }
  | { readonly kind: "lost" }
  | { readonly kind: "gap" };

/** Without `first` and `events` it only renews the lease. */
export interface Append extends Partial<Pick<AppendedEvents, "first" | "events" | "end">> {
  readonly writer: TurnWriter;
}

export type AppendQueue = GroupQueue<Append, AppendOutcome>;

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

/**
 * Sends appends and renewals. Where statements run side by side, those that come while others are in progress go together, in
 * one statement.
 */
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
      // After any other failure it is unknown what was done, and each of them fails.
      if (!isRefusal(thrown)) throw thrown;
      return packed.map(() => undefined);
    }
  }

  // On a single connection nothing is gained, and the statements may belong to a transaction of the application.
  if (!sql.concurrent) return { add: sendOne, drained: async () => {} };
  return createGroupQueue({ keyOf, pack: (append) => JSON.stringify(toRow(append)), sendOne, sendGroup });
}
