import { type BegunTurn, type NewTurn, TurnConflict } from "@jaf/memory/adapter";
import type { SqliteClient } from "../client/client.ts";
import { TURN_COLUMNS, toTurn, toTurnRow, turnOf } from "./turn-row.ts";

const EXPIRED_AT_ONCE = 20;

const EXPIRED_EVENTS = `
SELECT id FROM turns WHERE events_expire_at <= ? ORDER BY events_expire_at LIMIT ${EXPIRED_AT_ONCE}`;
const DELETE_EVENTS = "DELETE FROM turn_events WHERE turn = ?";
const WITHOUT_EVENTS = "UPDATE turns SET events_expire_at = NULL WHERE id = ?";
const DELETE_EXPIRED = `
DELETE FROM turns WHERE id IN (
  SELECT id FROM turns WHERE expires_at <= ? ORDER BY expires_at LIMIT ${EXPIRED_AT_ONCE})`;

/** Deletes some turns and some events that have expired. */
function sweep(client: SqliteClient, now: number): void {
  client.run(DELETE_EXPIRED, now);
  for (const row of client.all(EXPIRED_EVENTS, now)) {
    client.run(DELETE_EVENTS, Number(row["id"]));
    client.run(WITHOUT_EVENTS, Number(row["id"]));
  }
}

const RUNNING = `
SELECT ${TURN_COLUMNS} FROM turns WHERE conversation_id = ? AND state = 'running' AND expires_at > ?`;
const DELETE_EXPIRED_NAMESAKE = "DELETE FROM turns WHERE conversation_id = ? AND turn_id = ?";
const END_WAITING = "UPDATE turns SET state = 'ended' WHERE conversation_id = ? AND state = 'waiting'";
const BEGIN = `
INSERT INTO turns (conversation_id, turn_id, user_id, state, started_at, lease_ms, keep_ms, token, lease_ends_at,
  stop_requested, request, events, events_expire_at, expires_at)
VALUES (?, ?, ?, 'running', ?, ?, ?, ?, ?, 0, ?, 0, ?, ?)`;

/** Begins a turn in the transaction of `client`. Throws a `TurnConflict` if its id is taken. */
export function beginTurn(client: SqliteClient, turn: NewTurn, token: string): BegunTurn {
  const { conversationId, turnId, userId, request, leaseSeconds, keepSeconds } = turn;
  const now = Date.now();
  const running = client.first(RUNNING, conversationId, now);
  if (running !== undefined) return { begun: false, running: toTurn(toTurnRow(running)) };
  if (turnOf(client, turn) !== undefined) throw new TurnConflict("the id is taken");
  sweep(client, now);
  client.run(DELETE_EXPIRED_NAMESAKE, conversationId, turnId);
  client.run(END_WAITING, conversationId);
  const leaseMs = Math.ceil(1_000 * leaseSeconds);
  const keepMs = 1_000 * keepSeconds;
  const expiresAt = now + Math.max(leaseMs, keepMs);
  const times = [now, leaseMs, keepMs, token, now + leaseMs] as const;
  client.run(BEGIN, conversationId, turnId, userId, ...times, request, expiresAt, expiresAt);
  return { begun: true, writer: { conversationId, turnId, token } };
}
