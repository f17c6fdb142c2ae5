import type { TurnLog } from "@jaf/memory";
import {
  type BegunTurn,
  defineTurnLog,
  type EventPage,
  type LoggedTurn,
  type NewTurn,
  TurnConflict,
  type TurnLogBackend,
  type TurnWriter,
  type WriterAnswer,
} from "@jaf/memory/adapter";
import * as z from "zod";
import { hasCode, type PostgresClient, type SqlClient } from "../client/clients.ts";
import type { SqlRow, Statement } from "../client/statement.ts";
import { type PostgresConfig, parseConfig } from "../config.ts";
import { Contention, toMemoryError } from "../errors.ts";
import { turnLogTables } from "../migrations/turn-log.ts";
import { openStore, requireClient } from "../open-store.ts";
import type { ResolvedNames } from "../table-names.ts";
import { type AppendOutcome, createAppendQueue } from "./append.ts";
import { TurnLogPlace } from "./place.ts";
import { createReadStatement, createTurnStatements } from "./statements.ts";

/**
 * Creates a turn log in tables of Postgres or PGlite that all processes share. Creates the tables if they are missing.
 * `client` is a `Pool`, a connected `Client` or a PGlite, and is never closed. The tables' names begin with the
 * `tableName` of the conversations: `conversations_turns` and `conversations_turn_events`. Each call is one statement.
 * On a pool, appends that arrive while others are being sent are sent together. All times are those of the database.
 *
 * On a pool and on PGlite, the start of a turn removes some expired turns. With a `Client`, calls within a
 * transaction of the application are part of that transaction. Other processes see the events only after that
 * transaction commits. Until then, writes of other processes to the same turns wait.
 *
 * Rejects with a `TypeError` for an invalid client or option, and with a `MemorySetupError` if the tables can't be
 * created or found.
 *
 * @example
 * ```ts
 * import { createPostgresTurnLog } from "@jaf/memory-postgres";
 * import { Pool } from "pg";
 *
 * const log = await createPostgresTurnLog({ schema: "memory" }, new Pool());
 * const page = await log.read({ conversationId: "conv-123", from: 0 });
 * if (page.success) console.log(page.data?.turn.state, page.data?.events);
 * ```
 */
export async function createPostgresTurnLog(
  config: Pick<PostgresConfig, "tableName" | "schema" | "migrate">,
  client: PostgresClient,
): Promise<TurnLog> {
  const operation = "createPostgresTurnLog";
  requireClient(client, operation);
  const opening = { settings: parseConfig(config), client, group: turnLogTables, operation };
  return openStore(opening, (tables) => defineTurnLog(createTurnLogBackend(tables)));
}

interface TurnTables {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
}

interface TurnLogTables extends TurnTables {
  /** The application's client, which `sql` uses. Absent: no write to a conversation can begin a turn of this log. */
  readonly client?: PostgresClient;
}

/** Creates the backend of a turn log on existing tables. */
export function createTurnLogBackend({ client, sql, names }: TurnLogTables): TurnLogBackend {
  const statements = createTurnStatements(names, { removesExpired: sql.autocommit });
  const appends = createAppendQueue({ sql, names });
  const readAll = createReadAll({ sql, names });
  const change = (statement: Statement) => sql.query({ ...statement, writes: true });
  const turnsIn = async (statement: Statement) => (await sql.query(statement)).map(toTurn);
  const erase = async (statement: Statement) => Number((await change(statement))[0]?.["erased"]);

  return {
    name: "postgres",
    // A refusal raises an error, which would abort a transaction of the application.
    ...(client !== undefined && sql.autocommit ? { place: new TurnLogPlace(client, names) } : {}),
    begin: createBegin(sql, statements),
    append: async (append) => toAnswer(await appends.add(append)),
    renew: async (writer) => toAnswer(await appends.add({ writer })),
    takeOver: async ({ conversationId, turnId }) => {
      const token = crypto.randomUUID();
      const [row] = await change(statements.takeOver({ conversationId, turnId, token }));
      if (row === undefined) return null;
      const turn = toTurn(row);
      const request = JSON.parse(row["request"] ?? '""') as string;
      return { writer: writerOf(turn, token), turn, request };
    },
    release: async ({ conversationId, turnId, token }) =>
      void (await change(statements.release({ conversationId, turnId, token }))),
    read: async (query) => (await readAll([query]))[0] ?? null,
    readAll,
    turnsOf: (conversationId, limit) => turnsIn(statements.turnsOf({ conversationId, limit })),
    find: ({ userId, state }, limit) => turnsIn(statements.find({ userId, state, limit })),
    requestStop: async ({ conversationId, turnId }) =>
      (await change(statements.requestStop({ conversationId, turnId }))).length > 0,
    abandoned: (limit) => turnsIn(statements.abandoned({ limit })),
    deleteConversation: (conversationId) => erase(statements.deleteConversation({ conversationId })),
    deleteUser: (userId) => erase(statements.deleteUser({ userId })),
    close: appends.drained,
    toMemoryError,
  };
}

function toAnswer(outcome: AppendOutcome): WriterAnswer {
  if (outcome.kind === "gap") throw new TurnConflict("events are missing");
  return outcome.kind === "held" ? { held: true, stopRequested: outcome.stopRequested } : { held: false };
}

function createReadAll({ sql, names }: TurnTables) {
  const statement = createReadStatement(names);
  return async (given: Parameters<TurnLogBackend["readAll"]>[0]): Promise<readonly (EventPage | null)[]> => {
    if (given.length === 0) return [];
    const asked = given.map(({ conversationId, turnId = null, from, limit }) => ({
      conversation_id: conversationId,
      turn_id: turnId,
      first: from,
      limit,
    }));
    const rows = await sql.query(statement({ queries: JSON.stringify(asked) }));
    const byPlace = new Map(rows.map((row) => [Number(row["nth"]), row]));
    return asked.map((query, index) => {
      const row = byPlace.get(index + 1);
      return row === undefined ? null : toPage(row, query);
    });
  };
}

// The maximum number of attempts to begin a turn. They are enough unless other processes constantly begin and end turns
// of the conversation.
const ATTEMPTS = 5;

const DUPLICATE_KEY = new Set<unknown>(["23505"]);
const IN_FAILED_TRANSACTION = new Set<unknown>(["25P02"]);

const idIsTaken = () => new TurnConflict("the id is taken");

/**
 * Converts the rows of the statement `begin` into its result. Returns `undefined` if the statement must be sent again.
 * Throws a `TurnConflict` if the turn id is taken.
 */
function toBegun(rows: readonly SqlRow[], { turnId }: NewTurn, token: string): BegunTurn | undefined {
  const found = rows.map((row) => ({ turn: toTurn(row), begun: row["begun"] === "true" }));
  const begun = found.find((row) => row.begun);
  if (begun !== undefined) return { begun: true, writer: writerOf(begun.turn, token) };
  const running = found.find((row) => row.turn.state === "running");
  if (running !== undefined) return { begun: false, running: running.turn };
  if (found.some((row) => row.turn.turnId === turnId)) throw idIsTaken();
  // The state of another turn became `waiting` after the statement had looked for waiting turns.
  return undefined;
}

/** Returns a function that begins a turn. It sends the statement at most {@link ATTEMPTS} times. */
function createBegin(sql: SqlClient, { begin }: ReturnType<typeof createTurnStatements>) {
  return async (turn: NewTurn): Promise<BegunTurn> => {
    const { conversationId, turnId, userId, request, leaseSeconds, keepSeconds } = turn;
    const token = crypto.randomUUID();
    const values = { conversationId, turnId, userId, request, leaseSeconds, keepSeconds, token };
    const statement = { ...begin(values), writes: true } as const;
    let duplicate = false;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        const result = toBegun(await sql.query(statement), turn, token);
        if (result !== undefined) return result;
      } catch (thrown) {
        // The duplicate turn id aborted the application's transaction.
        if (duplicate && hasCode(thrown, IN_FAILED_TRANSACTION)) throw idIsTaken();
        if (!hasCode(thrown, DUPLICATE_KEY)) throw thrown;
        duplicate = true; // Another process began a turn with the same id at the same time.
      }
    }
    throw new Contention("others begin and end turns of the conversation constantly");
  };
}

const turnSchema = z
  .object({
    conversationId: z.string(),
    userId: z.string(),
    turnId: z.string(),
    state: z.enum(["running", "waiting", "ended"]),
    startedAt: z.number(),
    events: z.number(),
    stopRequested: z.boolean(),
    record: z.string().nullable(),
  })
  .transform(
    ({ record, startedAt, ...turn }): LoggedTurn => ({
      ...turn,
      startedAt: new Date(startedAt),
      ...(record === null ? {} : { record }),
    }),
  );

const textsSchema = z.array(z.array(z.string()));

/** Converts the JSON in the column `turn` of a row into a `LoggedTurn`. */
const toTurn = (row: SqlRow): LoggedTurn => turnSchema.parse(JSON.parse(row["turn"] ?? "null"));

interface AskedEvents {
  /** The number of the first requested event. */
  readonly first: number;
  readonly limit: number;
}

/** Converts a row into the requested events of a turn. */
function toPage(row: SqlRow, { first, limit }: AskedEvents): EventPage {
  const turn = toTurn(row);
  // `texts` has one list of events for each append. `start` is the number of the first of these events.
  const { start, texts } = row;
  if (start == null || texts == null) return { turn, events: [] };
  const begin = first - Number(start);
  const events = textsSchema.parse(JSON.parse(texts)).flat();
  return { turn, events: events.slice(begin, begin + limit) };
}

const writerOf = ({ conversationId, turnId }: LoggedTurn, token: string): TurnWriter => ({
  conversationId,
  turnId,
  token,
});
