import { createHash } from "node:crypto";
import { is, Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { SqlRow, SqlValue, Statement } from "./statement.ts";

/** Returns a name for a prepared statement. Different texts have different names. */
export const statementName = (text: string): string =>
  // Behind a PgBouncer that doesn't support prepared statements, a connection may still have prepared statements of
  // another application. One with the same name would run in place of ours.
  `jaf_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;

const dialect = new PgDialect();

export function toStatement(query: SQL): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return { text, values: params as SqlValue[] };
}

export const toWrite = (query: SQL): Statement => ({ ...toStatement(query), writes: true });

/** Renders and names a statement once. Returns a function that fills in the values of its placeholders. */
export function reusable<Names extends string>(query: SQL): (values: Record<Names, SqlValue>) => Statement {
  const { sql: text, params } = dialect.sqlToQuery(query);
  const name = statementName(text);
  const fill = params.map((parameter) =>
    is(parameter, Placeholder)
      ? (values: Record<Names, SqlValue>) => values[parameter.name as Names]
      : () => parameter as SqlValue,
  );
  return (values) => ({ name, text, values: fill.map((parameterOf) => parameterOf(values)) });
}

/** SQL for the time at which the statement began. */
// Not `now()`, which is the start of the transaction and may be long ago. Not `clock_timestamp()`, because a condition
// with it can't use an index.
export const statementTime = sql`statement_timestamp()`;

// No stored time is before this one: JavaScript has dates before 4713 BC, but Postgres doesn't.
export const EARLIEST_MS = Date.UTC(-4000, 0);

/** The last JavaScript date in milliseconds since 1970. The first date is this number, negated. */
export const LAST_DATE_MS = 8.64e15;

/** Converts a date into SQL that is exact to the millisecond in every year. */
export function timestampOf(date: Date): SQL {
  // The last JavaScript date stands for `infinity`, and dates before EARLIEST_MS for `-infinity`.
  const ms = date.getTime();
  if (ms < EARLIEST_MS) return sql`'-infinity'::timestamptz`;
  return ms === LAST_DATE_MS ? sql`'infinity'::timestamptz` : sql`to_timestamp(${ms}::float8 / 1000)`;
}

// Returns SQL for a column's time in milliseconds since 1970. It uses `date_part`, because `extract` returns a numeric,
// which is slow to calculate with. A double holds every millisecond.
export const millisecondsOf = (column: SQLWrapper): SQL =>
  sql`round(date_part('epoch', ${column}) * 1000)::text`;

/** Returns SQL for a text column as JSON. */
// JSON, because PGlite drops a byte order mark at the start of a plain text.
export const jsonTextOf = (column: SQLWrapper): SQL => sql`to_json(${column})::text`;

/** Returns the first row of a statement that always returns a row. Throws a `TypeError` if there is no row. */
export function only(rows: readonly SqlRow[]): SqlRow {
  const [row] = rows;
  if (row === undefined) throw new TypeError("a row was expected");
  return row;
}
