import { createHash } from "node:crypto";
import { is, Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";

/**
 * A row of text columns. Queries cast each column to `text`, since drivers parse other types differently, and
 * applications replace their parsers.
 */
export type SqlRow = Readonly<Record<string, string | null>>;

export type SqlValue = string | number | boolean | null | readonly (string | null)[] | readonly boolean[];

export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** The name under which a frequent statement may be prepared. The same name always means the same text. */
  readonly name?: string;
  /** Whether the statement may change stored data. */
  readonly writes?: true;
  /** Milliseconds after which the statement fails, if the driver supports it. */
  readonly timeoutMs?: number;
}

/**
 * Returns a name that is unique to the text. Behind a PgBouncer without support for prepared statements, a connection
 * may have those of another application; a shared name would run the wrong one.
 */
export const statementName = (text: string): string =>
  `jaf_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;

const dialect = new PgDialect();

export function toStatement(query: SQL): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return { text, values: params as SqlValue[] };
}

export const toWrite = (query: SQL): Statement => ({ ...toStatement(query), writes: true });

/** Renders a statement once, and names it for preparation. */
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

/**
 * The time of the statement, not of the transaction, during which a conversation may expire. Unlike
 * `clock_timestamp()`, it allows the use of indexes.
 */
export const statementTime = sql`statement_timestamp()`;

// Postgres has no year before 4713 BC, but JavaScript dates do. No stored time is before this one.
export const EARLIEST_MS = Date.UTC(-4000, 0);

/** The last JavaScript date, and negated, the first. */
export const LAST_DATE_MS = 8.64e15;

/** Exact to the millisecond and, unlike text, right for every year. The last JavaScript date stands for infinity. */
export function timestampOf(date: Date): SQL {
  const ms = date.getTime();
  if (ms < EARLIEST_MS) return sql`'-infinity'::timestamptz`;
  return ms === LAST_DATE_MS ? sql`'infinity'::timestamptz` : sql`to_timestamp(${ms}::float8 / 1000)`;
}

// `extract` returns a numeric, which is slow to calculate with. A double holds every millisecond.
export const millisecondsOf = (column: SQLWrapper): SQL =>
  sql`round(date_part('epoch', ${column}) * 1000)::text`;

/** As JSON, since PGlite drops a byte order mark at the start of a text. */
export const jsonTextOf = (column: SQLWrapper): SQL => sql`to_json(${column})::text`;

/** Returns the row of a statement that always has one. */
export function only(rows: readonly SqlRow[]): SqlRow {
  const [row] = rows;
  if (row === undefined) throw new TypeError("a row was expected");
  return row;
}
