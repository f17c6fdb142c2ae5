import { type AppendedEvents, TurnConflict, type TurnEnding, type WriterAnswer } from "@jaf/memory/adapter";
import type { SqliteClient } from "../client/client.ts";
import { renewLease, type TurnRow, turnOf } from "./turn-row.ts";

const ADD = "INSERT INTO turn_events (turn, number, event) VALUES (?, ?, ?)";
const COUNT = "UPDATE turns SET events = ? WHERE id = ?";
const END = `
UPDATE turns SET state = ?, record = ?, request = '', events_expire_at = ?, expires_at = ? WHERE id = ?`;

/** Appends events to a turn in the transaction of `client`. */
export function appendEvents(
  client: SqliteClient,
  { writer, first, events, end }: AppendedEvents,
): WriterAnswer {
  const row = turnOf(client, writer);
  if (row === undefined || row.token !== writer.token) return { held: false };
  const answer = { held: true, stopRequested: row.stop_requested === 1 } as const;
  // Only an append with an end stops a running turn. So an append to a turn that isn't running can only repeat that one.
  if (row.state !== "running") {
    const isRepeat = first + events.length <= row.events && end !== undefined;
    return isRepeat ? answer : { held: false };
  }
  if (first > row.events) throw new TurnConflict("events are missing");
  const added = events.slice(row.events - first);
  for (const [index, event] of added.entries()) client.run(ADD, row.id, row.events + index, event);
  if (added.length > 0) client.run(COUNT, row.events + added.length, row.id);
  if (end === undefined) renewLease(client, row);
  else endTurn(client, row, end);
  return answer;
}

function endTurn(client: SqliteClient, { id }: TurnRow, end: TurnEnding): void {
  const now = Date.now();
  const times = [now + 1_000 * end.eventSeconds, now + 1_000 * end.recordSeconds] as const;
  client.run(END, end.state, end.record, ...times, id);
}
