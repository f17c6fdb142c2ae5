import type { LoggedTurn, TurnWriter } from "@jaf/memory/adapter";
import * as z from "zod";
import type { SqliteClient } from "../client/client.ts";
import type { SqliteRow } from "../client/driver.ts";

const rowSchema = z.object({
  id: z.number(),
  conversation_id: z.string(),
  turn_id: z.string(),
  user_id: z.string(),
  state: z.enum(["running", "waiting", "ended"]),
  started_at: z.number(),
  lease_ms: z.number(),
  keep_ms: z.number(),
  token: z.string(),
  lease_ends_at: z.number(),
  stop_requested: z.number(),
  request: z.string(),
  record: z.string().nullable(),
  events: z.number(),
  events_expire_at: z.number().nullable(),
  expires_at: z.number(),
});

/** A row of the table `turns`. */
export type TurnRow = Readonly<z.output<typeof rowSchema>>;

export const toTurnRow = (row: SqliteRow): TurnRow => rowSchema.parse(row);

export const TURN_COLUMNS = Object.keys(rowSchema.shape).join(", ");

export const toTurn = (row: TurnRow): LoggedTurn => ({
  conversationId: row.conversation_id,
  userId: row.user_id,
  turnId: row.turn_id,
  state: row.state,
  startedAt: new Date(row.started_at),
  events: row.events,
  stopRequested: row.stop_requested === 1,
  ...(row.record === null ? {} : { record: row.record }),
});

export const writerOf = ({ conversation_id, turn_id, token }: TurnRow): TurnWriter => ({
  conversationId: conversation_id,
  turnId: turn_id,
  token,
});

const BY_NAME = `
SELECT ${TURN_COLUMNS} FROM turns WHERE conversation_id = ? AND turn_id = ? AND expires_at > ?`;

/** Returns a turn that hasn't expired. */
export function turnOf(
  client: SqliteClient,
  { conversationId, turnId }: Pick<TurnWriter, "conversationId" | "turnId">,
): TurnRow | undefined {
  const row = client.first(BY_NAME, conversationId, turnId, Date.now());
  return row === undefined ? undefined : toTurnRow(row);
}

/** Returns the writer's turn if the writer may write to it. */
export function heldTurnOf(client: SqliteClient, writer: TurnWriter): TurnRow | undefined {
  const row = turnOf(client, writer);
  return row?.state === "running" && row.token === writer.token ? row : undefined;
}

const RENEW = "UPDATE turns SET lease_ends_at = ?, expires_at = ?, events_expire_at = ? WHERE id = ?";

/** Begins the lease of a running turn again. */
export function renewLease(client: SqliteClient, { id, lease_ms, keep_ms }: TurnRow): void {
  const now = Date.now();
  const expiresAt = now + Math.max(lease_ms, keep_ms);
  client.run(RENEW, now + lease_ms, expiresAt, expiresAt, id);
}
