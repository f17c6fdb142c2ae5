import type { EventPage, WriterAnswer } from "@jaf/memory";
import { TurnConflict, type TurnLogBackend } from "@jaf/memory/adapter";
import type { SqlClient, Statement } from "../client/port.ts";
import { toMemoryError } from "../errors.ts";
import type { ResolvedNames } from "../schema/names.ts";
import { type AppendOutcome, createAppendQueue } from "./append-queue.ts";
import { createBegin } from "./begin.ts";
import { toPage, toTurn, writerOf } from "./decoding.ts";
import { createReadStatement } from "./read-statement.ts";
import { createTurnStatements } from "./statements.ts";

interface TurnTables {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
}

/** The log of turns on tables that are there. */
export function createTurnLogBackend({ sql, names }: TurnTables): TurnLogBackend {
  const statements = createTurnStatements(names, { removesExpired: sql.autocommit });
  const appends = createAppendQueue({ sql, names });
  const readAll = createReadAll({ sql, names });
  const change = (statement: Statement) => sql.query({ ...statement, writes: true });
  const turnsIn = async (statement: Statement) => (await sql.query(statement)).map(toTurn);
  const erase = async (statement: Statement) => Number((await change(statement))[0]?.["erased"]);

  return {
    name: "postgres",
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
