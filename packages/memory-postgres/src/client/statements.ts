import { createHash } from "node:crypto";
import { is, Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";

/**
 * A row whose columns are all text: queries cast each to `text`, since drivers differ in what they make of other
 * types, and applications replace their parsers.
 */
export type SqlRow = Readonly<Record<string, string | null>>;

export type SqlValue = string | number | boolean | null | readonly (string | null)[] | readonly boolean[];

export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** For a statement that is used all the time: may be prepared under this name. The same name means the same text. */
  readonly name?: string;
  /** Whether it may change what is stored. */
  readonly writes?: true;
  /** Where the driver can, the statement is given up after this time. */
  readonly timeoutMs?: number;
}

/**
 * A name that no other text has. Behind a PgBouncer that knows nothing of prepared statements, a connection may
 * have some of another application's: under a shared name, the wrong one would run.
 */
export const statementName = (text: string): string =>
  `jaf_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;

const dialect = new PgDialect();

export function toStatement(query: SQL): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return { text, values: params as SqlValue[] };
}

export const toWrite = (query: SQL): Statement => ({ ...toStatement(query), writes: true });

/** Rendered once, and worth preparing. */
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

/** Of the statement, not of the transaction, in which a conversation may expire. Unlike the clock's, indexes serve it. */
export const statementTime = sql`statement_timestamp()`;

// Postgres has no year before 4713 BC; a JavaScript date has. Nothing was stored before this one.
export const EARLIEST_MS = Date.UTC(-4000, 0);

/** The last date that JavaScript has, and, negative, the first. */
export const LAST_DATE_MS = 8.64e15;

/** Exact to the millisecond, and, unlike text, right for every year. The last date there is stands for infinity. */
export function timestampOf(date: Date): SQL {
  const ms = date.getTime();
  if (ms < EARLIEST_MS) return sql`'-infinity'::timestamptz`;
  return ms === LAST_DATE_MS ? sql`'infinity'::timestamptz` : sql`to_timestamp(${ms}::float8 / 1000)`;
}

// `extract` makes a numeric, which is slow to reckon with; a double holds every millisecond.
export const millisecondsOf = (column: SQLWrapper): SQL =>
  sql`round(date_part('epoch', ${column}) * 1000)::text`;

/** As JSON: PGlite drops a byte order mark that a text begins with. */
export const jsonTextOf = (column: SQLWrapper): SQL => sql`to_json(${column})::text`;

/** Of a statement that always has one row. */
export function only(rows: readonly SqlRow[]): SqlRow {
  const [row] = rows;
  if (row === undefined) throw new TypeError("a row was expected");
  return row;
}
