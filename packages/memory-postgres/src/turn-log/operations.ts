import type { EventPage, EventQuery, TurnLog, WriterAnswer } from "@jaf/memory";
import {
  createFailure,
  createMemoryConflictError,
  createMemoryConnectionError,
  createSuccess,
  type Result,
} from "@jaf/memory/adapter";
import type { SqlClient, Statement } from "../client/port.ts";
import { toMemoryError } from "../errors.ts";
import type { ResolvedNames } from "../schema/names.ts";
import { type AppendOutcome, createAppendQueue } from "./append-queue.ts";
import { createBegin } from "./begin.ts";
import { toPage, toTurn, writerOf } from "./decoding.ts";
import { createReadStatement } from "./read-statement.ts";
import { createTurnStatements } from "./statements.ts";

const PROVIDER = "postgres";

const MOST_EVENTS = 1_000;
const MOST_TURNS = 100;

interface TurnTables {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
}

/** A turn log on tables that are there, for arguments that are valid. */
export function createTurnLogOn({ sql, names }: TurnTables): TurnLog {
  const statements = createTurnStatements(names, { removesExpired: sql.autocommit });
  const appends = createAppendQueue({ sql, names });
  const begin = createBegin(sql, statements);
  const readAll = createReadAll({ sql, names });
  const change = (statement: Statement) => sql.query({ ...statement, writes: true });
  let closing: Promise<Result<void>> | undefined;

  async function attempt<T>(operation: string, action: () => Promise<Result<T>>): Promise<Result<T>> {
    if (closing !== undefined) {
      const hint = "this turn log was closed; create a new one";
      return createFailure(createMemoryConnectionError(PROVIDER, hint, { operation, retryable: false }));
    }
    try {
      return await action();
    } catch (thrown) {
      return createFailure(toMemoryError(operation, thrown));
    }
  }

  const turnsIn = async (statement: Statement) => createSuccess((await sql.query(statement)).map(toTurn));

  async function erase(statement: Statement): Promise<Result<number>> {
    const [row] = await change(statement);
    return createSuccess(Number(row?.["erased"]));
  }

  return {
    begin: (turn) => attempt("begin", () => begin(turn)),

    append: (append) => attempt("append", async () => toAnswer("append", await appends.add(append))),

    renew: (writer) => attempt("renew", async () => toAnswer("renew", await appends.add({ writer }))),

    takeOver: ({ conversationId, turnId }) =>
      attempt("takeOver", async () => {
        const token = crypto.randomUUID();
        const [row] = await change(statements.takeOver({ conversationId, turnId, token }));
        if (row === undefined) return createSuccess(null);
        const turn = toTurn(row);
        const request = JSON.parse(row["request"] ?? '""') as string;
        return createSuccess({ writer: writerOf(turn, token), turn, request });
      }),

    release: ({ conversationId, turnId, token }) =>
      attempt("release", async () => {
        await change(statements.release({ conversationId, turnId, token }));
        return createSuccess(undefined);
      }),

    read: (query) =>
      attempt("read", async () => {
        const [page = null] = await readAll([query]);
        return createSuccess(page);
      }),

    readAll: (queries) => attempt("readAll", async () => createSuccess(await readAll(queries))),

    turnsOf: (conversationId, limit = MOST_TURNS) =>
      attempt("turnsOf", () => turnsIn(statements.turnsOf({ conversationId, limit }))),

    find: ({ userId, state }, limit = MOST_TURNS) =>
      attempt("find", () => turnsIn(statements.find({ userId, state, limit }))),

    requestStop: ({ conversationId, turnId }) =>
      attempt("requestStop", async () => {
        const rows = await change(statements.requestStop({ conversationId, turnId }));
        return createSuccess(rows.length > 0);
      }),

    abandoned: (limit) => attempt("abandoned", () => turnsIn(statements.abandoned({ limit }))),

    deleteConversation: (conversationId) =>
      attempt("deleteConversation", () => erase(statements.deleteConversation({ conversationId }))),

    deleteUser: (userId) => attempt("deleteUser", () => erase(statements.deleteUser({ userId }))),

    close: () => {
      closing ??= appends.drained().then(() => createSuccess(undefined));
      return closing;
    },
  };
}

function toAnswer(operation: string, outcome: AppendOutcome): Result<WriterAnswer> {
  switch (outcome.kind) {
    case "held":
      return createSuccess({ held: true, stopRequested: outcome.stopRequested });
    case "lost":
      return createSuccess({ held: false });
    case "gap":
      return createFailure(createMemoryConflictError("turn", { provider: PROVIDER, operation }));
  }
}

function createReadAll({ sql, names }: TurnTables) {
  const statement = createReadStatement(names);
  return async (given: readonly EventQuery[]): Promise<readonly (EventPage | null)[]> => {
    if (given.length === 0) return [];
    const asked = given.map(({ conversationId, turnId = null, from = 0, limit = MOST_EVENTS }) => ({
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
