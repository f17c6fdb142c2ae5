import { type SQL, sql } from "drizzle-orm";
import type { SqlClient } from "../client/clients.ts";
import { only, toWrite } from "../client/statements.ts";
import { createLedgerTables } from "../migrations/ledger.ts";
import type { ResolvedNames } from "../table-names.ts";
import { month, today } from "./statements.ts";

const PAUSE_MS = 3_600_000;
/** How many rows of each table a sweep removes at most. */
const BATCH = 1_000;

interface SweepOptions {
  readonly client: SqlClient;
  readonly names: ResolvedNames;
  readonly retentionDays: number;
}

/**
 * Returns a function that removes old sums and past totals, and does nothing in the hour after a sweep. If a sweep
 * leaves old rows, the next call continues.
 */
export function createSweep({ client, names, retentionDays }: SweepOptions): () => Promise<void> {
  const { sums, totals } = createLedgerTables(names);
  // Rows that another sweep has locked are skipped, so sweeps never wait for each other.
  const removal = (
    table: typeof sums | typeof totals,
    { column, first }: { column: SQL; first: SQL },
  ): SQL => sql`
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${column} < ${first}
        ORDER BY ${column} LIMIT ${BATCH}::int FOR UPDATE SKIP LOCKED
      )) RETURNING 1`;
  const firstDay = sql`${today} - ${retentionDays}::int`;
  // Not prepared: a plan that was made for an empty table would be slow.
  const statement = toWrite(sql`
    WITH old_sums AS (${removal(sums, { column: sql`day`, first: firstDay })}),
      old_totals AS (${removal(totals, { column: sql`began`, first: month })})
    SELECT greatest((SELECT count(*) FROM old_sums), (SELECT count(*) FROM old_totals))::text AS removed`);
  let nextAt = Number.NEGATIVE_INFINITY;

  return async () => {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + PAUSE_MS;
    const removed = Number(only(await client.query(statement))["removed"]);
    if (removed >= BATCH) nextAt = now;
  };
}
