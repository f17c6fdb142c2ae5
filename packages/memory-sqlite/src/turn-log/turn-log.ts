import type { TurnLog } from "@jaf/memory";
import { defineTurnLog, type EventPage, type TurnLogBackend } from "@jaf/memory/adapter";
import type { SqliteClient } from "../client/client.ts";
import type { SqliteValue } from "../client/driver.ts";
import type { SqliteConfig } from "../config.ts";
import type { OpenedDatabase, SqliteDatabase } from "../database.ts";
import { toMemoryError } from "../errors.ts";
import { openStore } from "../open-store.ts";
import { appendEvents } from "./append.ts";
import { beginTurn } from "./begin.ts";
import { TurnLogPlace } from "./place.ts";
import { heldTurnOf, renewLease, TURN_COLUMNS, toTurn, toTurnRow, turnOf, writerOf } from "./turn-row.ts";

/**
 * Creates a turn log in a SQLite file, which several processes may have open at the same time. Creates the file and its
 * tables if they are missing. With `database`, which `openSqlite` returns, the log uses that connection, and closing the
 * log doesn't close it. Writes of a provider with the same `database` can begin turns of the log.
 *
 * Rejects with a `TypeError` for an invalid configuration, and with a `MemorySetupError` if the file can't be opened,
 * isn't ours, or was written by a newer version.
 *
 * @example
 * ```ts
 * import { createSqliteTurnLog } from "@jaf/memory-sqlite";
 *
 * const log = await createSqliteTurnLog({ file: "memory.db" });
 * const page = await log.read({ conversationId: "conv-123", from: 0 });
 * if (page.success) console.log(page.data?.turn.state, page.data?.events);
 * await log.close();
 * ```
 */
export async function createSqliteTurnLog(config: SqliteConfig, database?: SqliteDatabase): Promise<TurnLog> {
  const store = await openStore(config, database, "createSqliteTurnLog");
  return defineTurnLog(createTurnLogBackend(store.database, store.close));
}

const TAKE_OVER = "UPDATE turns SET token = ? WHERE id = ?";
const RELEASE = "UPDATE turns SET lease_ends_at = ? WHERE id = ?";
const STOP = "UPDATE turns SET stop_requested = 1 WHERE id = ?";
const LIVE = `SELECT ${TURN_COLUMNS} FROM turns WHERE expires_at > ?`;
const OF_CONVERSATION = `${LIVE} AND conversation_id = ? ORDER BY id DESC LIMIT ?`;
const OF_USER = `${LIVE} AND user_id = ? AND state = ? ORDER BY id DESC LIMIT ?`;
const ABANDONED = `${LIVE} AND state = 'running' AND lease_ends_at <= ? ORDER BY lease_ends_at LIMIT ?`;
// Expired turns go, too, but aren't counted.
const ERASE_CONVERSATION = "DELETE FROM turns WHERE conversation_id = ? RETURNING expires_at";
const ERASE_USER = "DELETE FROM turns WHERE user_id = ? RETURNING expires_at";
const EVENTS = `
SELECT event FROM turn_events WHERE turn = ? AND number >= ? ORDER BY number LIMIT ?`;

const rowsOf = (client: SqliteClient, sql: string, ...values: readonly SqliteValue[]) =>
  client.all(sql, Date.now(), ...values).map(toTurnRow);

function pageOf(
  client: SqliteClient,
  { conversationId, turnId, from, limit }: Parameters<TurnLogBackend["read"]>[0],
): EventPage | null {
  const row =
    turnId === undefined
      ? rowsOf(client, OF_CONVERSATION, conversationId, 1)[0]
      : turnOf(client, { conversationId, turnId });
  if (row === undefined) return null;
  const hasEvents = row.events_expire_at !== null && row.events_expire_at > Date.now();
  const events = hasEvents ? client.all(EVENTS, row.id, from, limit) : [];
  return { turn: toTurn(row), events: events.map(({ event }) => String(event)) };
}

function erase(client: SqliteClient, sql: string, id: string): number {
  const now = Date.now();
  return client.all(sql, id).filter(({ expires_at }) => Number(expires_at) > now).length;
}

/** Creates the backend of a turn log in a SQLite file. `close` closes what the caller opened for it. */
export function createTurnLogBackend(database: OpenedDatabase, close: () => Promise<void>): TurnLogBackend {
  const turnsIn = (sql: string, ...values: readonly SqliteValue[]) =>
    database.read((client) => rowsOf(client, sql, ...values).map(toTurn));

  return {
    name: "sqlite",
    place: new TurnLogPlace(database),
    begin: (turn) => database.write((client) => beginTurn(client, turn, crypto.randomUUID())),
    append: (events) => database.write((client) => appendEvents(client, events)),
    renew: (writer) =>
      database.write((client) => {
        const row = heldTurnOf(client, writer);
        if (row === undefined) return { held: false };
        renewLease(client, row);
        return { held: true, stopRequested: row.stop_requested === 1 };
      }),
    takeOver: (turn) =>
      database.write((client) => {
        const row = turnOf(client, turn);
        if (row?.state !== "running" || row.lease_ends_at > Date.now()) return null;
        const taken = { ...row, token: crypto.randomUUID() };
        client.run(TAKE_OVER, taken.token, row.id);
        renewLease(client, row);
        return { writer: writerOf(taken), turn: toTurn(row), request: row.request };
      }),
    release: (writer) =>
      database.write((client) => {
        const row = heldTurnOf(client, writer);
        if (row !== undefined) client.run(RELEASE, Date.now(), row.id);
      }),
    read: (query) => database.read((client) => pageOf(client, query)),
    readAll: (queries) => database.read((client) => queries.map((query) => pageOf(client, query))),
    turnsOf: (conversationId, limit) => turnsIn(OF_CONVERSATION, conversationId, limit),
    find: ({ userId, state }, limit) => turnsIn(OF_USER, userId, state, limit),
    requestStop: (turn) =>
      database.write((client) => {
        const row = turnOf(client, turn);
        if (row?.state !== "running") return false;
        client.run(STOP, row.id);
        return true;
      }),
    abandoned: (limit) => turnsIn(ABANDONED, Date.now(), limit),
    deleteConversation: (conversationId) =>
      database.write((client) => erase(client, ERASE_CONVERSATION, conversationId)),
    deleteUser: (userId) => database.write((client) => erase(client, ERASE_USER, userId)),
    close,
    toMemoryError,
  };
}
