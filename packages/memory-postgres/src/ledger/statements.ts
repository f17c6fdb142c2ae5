import { type SQL, sql } from "drizzle-orm";
import { reusable } from "../client/statements.ts";
import { createLedgerTables } from "../migrations/ledger.ts";
import type { ResolvedNames } from "../table-names.ts";

/** The columns of the amounts, in the order of `LEDGER_AMOUNTS`. */
export const AMOUNT_COLUMNS = [
  "calls",
  "input_tokens",
  "output_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "cost",
] as const;

/** Returns a list in SQL with one element for each amount. */
const ofAmounts = (element: (column: string) => string): SQL =>
  sql.raw(AMOUNT_COLUMNS.map(element).join(", "));

const columns = ofAmounts((column) => column);
const declared = ofAmounts((column) => `${column} float8`);
const added = ofAmounts((column) => `${column} = kept.${column} + excluded.${column}`);

/** SQL for the current day in UTC, by the database's clock. */
export const today = sql`(statement_timestamp() AT TIME ZONE 'UTC')::date`;

/** The number of slices of a sum that many processes add to. */
const SLICES = sql.raw("16");

/** How many expired rows of each table a record removes at most. */
const REMOVED = sql.raw("20");

/**
 * Returns SQL for the slice of a row. The rows of a user have one slice: a user's calls seldom run at the same moment.
 */
const sliceUnless = (isOfUser: SQL): SQL =>
  sql`(CASE WHEN ${isOfUser} THEN 0 ELSE pg_backend_pid() % ${SLICES} END)::smallint`;

/** Creates the statements on the tables of a ledger. Each statement is atomic. */
export function createLedgerStatements(names: ResolvedNames) {
  const { sums, totals } = createLedgerTables(names);
  // Rows are locked in the same order by all statements, which prevents deadlocks: the sums of users, then those without
  // a user, then totals.
  const sumsOrder = sql.raw(`user_id = '', user_id COLLATE "C", day, key COLLATE "C"`);
  const addSums = (selection: SQL): SQL => sql`
      INSERT INTO ${sums} AS kept (user_id, day, key, slice, tenant_id, agent, model, tool, cache_miss, ${columns})
      ${selection} ORDER BY ${sumsOrder}
      ON CONFLICT (user_id, day, key, slice) DO UPDATE SET ${added}
      RETURNING 1`;
  const removeOld = (table: typeof sums | typeof totals, isOld: SQL): SQL => sql`
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${isOld} LIMIT ${REMOVED} FOR UPDATE SKIP LOCKED
      ))`;

  return {
    record: reusable<"sums" | "totals" | "retentionDays">(sql`
      WITH added_sums AS (${addSums(sql`
        SELECT user_id, ${today} AS day, key, ${sliceUnless(sql`user_id <> ''`)},
          tenant_id, agent, model, tool, cache_miss, ${columns}
        FROM jsonb_to_recordset(${sql.placeholder("sums")}::jsonb) AS given (
          user_id text, key text, tenant_id text, agent text, model text, tool text, cache_miss text, ${declared}
        )`)}
      ), added_totals AS (
        INSERT INTO ${totals} AS kept (scope, id, period, began, slice, ${columns})
        SELECT scope, id, period, began, ${sliceUnless(sql`scope = 'user'`)}, ${columns}
        FROM jsonb_to_recordset(${sql.placeholder("totals")}::jsonb) AS given (scope text, id text, ${declared})
        CROSS JOIN (VALUES ('day', ${today}), ('month', date_trunc('month', ${today})::date)) AS periods (period, began)
        WHERE (SELECT count(*) FROM added_sums) > 0
        ORDER BY scope, id, period
        ON CONFLICT (scope, id, period, began, slice) DO UPDATE SET ${added}
      ), old_sums AS (${removeOld(sums, sql`day < ${today} - ${sql.placeholder("retentionDays")}::int`)}
      ), old_totals AS (${removeOld(totals, sql`began < date_trunc('month', ${today})::date`)}
      )
      SELECT count(*)::text AS added FROM added_sums`),

    amounts: reusable<"scopes">(sql`
      SELECT ${ofAmounts((column) => `coalesce(sum(total.${column}), 0)::text AS ${column}`)}
      FROM jsonb_to_recordset(${sql.placeholder("scopes")}::jsonb) AS given (at int, scope text, id text, period text)
      LEFT JOIN ${totals} AS total ON total.scope = given.scope AND total.id = given.id AND total.period = given.period
        AND total.began = CASE given.period WHEN 'day' THEN ${today} ELSE date_trunc('month', ${today})::date END
      GROUP BY given.at ORDER BY given.at`),

    eraseUser: reusable<"userId">(sql`
      WITH locked AS (
        SELECT user_id, day, key, slice FROM ${sums} AS kept WHERE user_id = ${sql.placeholder("userId")}::text
        ORDER BY ${sumsOrder} FOR UPDATE OF kept
      ), gone AS (
        DELETE FROM ${sums} AS kept USING locked
        WHERE (kept.user_id, kept.day, kept.key, kept.slice) = (locked.user_id, locked.day, locked.key, locked.slice)
        RETURNING kept.*
      ), added_sums AS (${addSums(sql`
        SELECT ''::text AS user_id, day, key, ${sliceUnless(sql`false`)},
          tenant_id, agent, model, tool, cache_miss, ${columns} FROM gone`)}
      ), gone_totals AS (
        DELETE FROM ${totals} WHERE scope = 'user' AND id = ${sql.placeholder("userId")}::text
          AND (SELECT count(*) FROM added_sums) >= 0
      )
      SELECT count(*)::text AS erased FROM gone`),
  };
}
