import { backoffDelayMs } from "@jaf/memory/adapter";
import type { SqlClient } from "./port.ts";
import { hasCode } from "./sql-state.ts";

type Query = SqlClient["query"];

// A serialization failure and a deadlock: where no transaction block is open, nothing was written.
const RACED = new Set<unknown>(["40001", "40P01"]);

const IN_FAILED_TRANSACTION = new Set<unknown>(["25P02"]);

const ATTEMPTS = 20;
const DELAYS = { baseDelayMs: 2, maxDelayMs: 50 };

const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, backoffDelayMs(attempt, DELAYS)));

/**
 * Above read committed, a write that waited for another of the same conversation fails. Once that was seen, writes
 * go the `careful` way at once: on a pool, each failure costs a connection.
 */
export function carefulAfterRace(send: Query, careful: Query): Query {
  let raced = false;
  return async (statement) => {
    if (raced && statement.writes) return careful(statement);
    try {
      return await send(statement);
    } catch (thrown) {
      if (!hasCode(thrown, RACED)) throw thrown;
      raced = true;
      return careful(statement);
    }
  };
}

/** For a connection that the application may use meanwhile, so that no transaction of ours can be opened on it. */
export function retryAfterRace(send: Query, inTransaction: () => boolean): Query {
  return async (statement) => {
    let raced: unknown;
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(statement);
      } catch (thrown) {
        // The application's transaction had failed by the first one, which says more.
        if (raced !== undefined && hasCode(thrown, IN_FAILED_TRANSACTION)) throw raced;
        if (!hasCode(thrown, RACED) || inTransaction() || attempt === ATTEMPTS) throw thrown;
        raced = thrown;
      }
      await pause(attempt);
    }
  };
}
