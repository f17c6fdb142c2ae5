import type { LedgerGroup, LedgerRow } from "@jaf/memory";
import { amountsOf, LEDGER_AMOUNTS, type LedgerAmounts, type LedgerReportQuery } from "@jaf/memory/adapter";
import { type SQL, sql } from "drizzle-orm";
import type { SqlRow, Statement } from "../client/statement.ts";
import { jsonTextOf, toStatement } from "../client/statements.ts";
import { createLedgerTables } from "../migrations/ledger.ts";
import type { ResolvedNames } from "../table-names.ts";
import { AMOUNT_COLUMNS, today } from "./statements.ts";

/** The columns of the fields by which a report groups. */
const GROUP_COLUMNS = {
  day: "day",
  user: "user_id",
  tenant: "tenant_id",
  agent: "agent",
  model: "model",
  tool: "tool",
  cacheMiss: "cache_miss",
} as const satisfies Record<LedgerGroup, string>;

const columnOf = (group: LedgerGroup): SQL => sql.raw(GROUP_COLUMNS[group]);
const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);

/** Returns a function that creates the statement of a report. */
export function createReportQuery(names: ResolvedNames) {
  const { sums } = createLedgerTables(names);
  const amounts = AMOUNT_COLUMNS.map((column) => sql.raw(`sum(${column})::text AS ${column}`));

  return ({ from, to, userId, tenantId, by, limit }: LedgerReportQuery): Statement => {
    const groups = list(by.map(columnOf));
    const shown = by.map((group) => sql`${jsonTextOf(columnOf(group))} AS ${columnOf(group)}`);
    const last = to === undefined ? today : sql`${to}::date`;
    const first =
      from === undefined ? sql`date_trunc('month', ${last}::timestamp)::date` : sql`${from}::date`;
    const conditions = [sql`day BETWEEN ${first} AND ${last}`];
    if (userId !== undefined) conditions.push(sql`user_id = ${userId}`);
    if (tenantId !== undefined) conditions.push(sql`tenant_id = ${tenantId}`);
    return toStatement(sql`
      SELECT ${list([...shown, ...amounts])} FROM ${sums}
      WHERE ${sql.join(conditions, sql` AND `)} GROUP BY ${groups}
      ORDER BY round(sum(cost)::numeric, 12) DESC, sum(input_tokens + output_tokens) DESC, ${groups}
      LIMIT ${limit}`);
  };
}

/** Converts the columns of amounts. */
export const toAmounts = (row: SqlRow): LedgerAmounts =>
  amountsOf((field) => Number(row[AMOUNT_COLUMNS[LEDGER_AMOUNTS.indexOf(field)] ?? ""]));

/** Converts a row of a report. */
export function toReportRow(row: SqlRow, by: readonly LedgerGroup[]): LedgerRow {
  const group = by.map((field) => {
    const value: unknown = JSON.parse(row[GROUP_COLUMNS[field]] ?? "null");
    return [field, value === "" ? null : value];
  });
  return { ...Object.fromEntries(group), ...toAmounts(row) };
}
