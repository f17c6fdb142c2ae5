import { createHash } from "node:crypto";
import type { SqlClient, Statement } from "./port.ts";
import { hasCode } from "./sql-state.ts";

/**
 * A name that no other text has. Behind a PgBouncer that knows nothing of prepared statements, a connection may
 * have some of another application's: under a shared name, the wrong one would run.
 */
export const statementName = (text: string): string =>
  `jaf_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;

// "No such prepared statement" and "it exists already": both come before the statement runs.
const MISPLACED = new Set<unknown>(["26000", "42P05"]);

export function unnamed({ name: _, ...statement }: Statement): Statement {
  return statement;
}

/**
 * Prepares statements, which makes an append a seventh faster, until it shows that something between here and the
 * server moves them to other connections, as PgBouncer does in transaction mode before version 1.21.
 */
export function prepareOrNot(send: SqlClient["query"]): SqlClient["query"] {
  let prepare = true;
  return async (statement) => {
    if (!prepare || statement.name === undefined) return send(unnamed(statement));
    try {
      return await send(statement);
    } catch (thrown) {
      if (!hasCode(thrown, MISPLACED)) throw thrown;
      prepare = false;
      return send(unnamed(statement));
    }
  };
}
