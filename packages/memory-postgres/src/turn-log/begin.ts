import type { BegunTurn, NewTurn } from "@jaf/memory";
import { TurnConflict } from "@jaf/memory/adapter";
import type { SqlClient, SqlRow } from "../client/port.ts";
import { hasCode } from "../client/sql-state.ts";
import { TurnsInTheWay } from "../errors.ts";
import { toTurn, writerOf } from "./decoding.ts";
import type { createTurnStatements } from "./statements.ts";

// Somebody else is in between so often only if others begin and end turns of the conversation all the time.
const ATTEMPTS = 5;

const DUPLICATE_KEY = new Set<unknown>(["23505"]);
const IN_FAILED_TRANSACTION = new Set<unknown>(["25P02"]);

const idIsTaken = () => new TurnConflict("the id is taken");

/** `undefined`: a turn of the conversation came to wait after the statement had looked for one, and nothing was done. */
function toBegun(rows: readonly SqlRow[], { turnId }: NewTurn, token: string): BegunTurn | undefined {
  const found = rows.map((row) => ({ turn: toTurn(row), begun: row["begun"] === "true" }));
  const begun = found.find((row) => row.begun);
  if (begun !== undefined) return { begun: true, writer: writerOf(begun.turn, token) };
  const running = found.find((row) => row.turn.state === "running");
  if (running !== undefined) return { begun: false, running: running.turn };
  if (found.some((row) => row.turn.turnId === turnId)) throw idIsTaken();
  return undefined;
}

/** Begins turns: one statement, and another one where somebody else was in between. */
export function createBegin(sql: SqlClient, { begin }: ReturnType<typeof createTurnStatements>) {
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
        // In a transaction of the application, which the first of them has ended.
        if (duplicate && hasCode(thrown, IN_FAILED_TRANSACTION)) throw idIsTaken();
        if (!hasCode(thrown, DUPLICATE_KEY)) throw thrown;
        duplicate = true; // Another began a turn of the same id at the same time.
      }
    }
    throw new TurnsInTheWay("others begin and end turns all the time");
  };
}
