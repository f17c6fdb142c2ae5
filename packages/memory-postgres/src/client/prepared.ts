import { createHash } from "node:crypto";
import type { Statement } from "./port.ts";

/**
 * A name that no other text has. Behind a PgBouncer that knows nothing of prepared statements, a connection may
 * have some of another application's: under a shared name, the wrong one would run.
 */
export const statementName = (text: string): string =>
  `jaf_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;

/** "No such prepared statement" and "it exists already": both come before the statement runs. */
export const MISPLACED = new Set<unknown>(["26000", "42P05"]);

export function unnamed({ name: _, ...statement }: Statement): Statement {
  return statement;
}
