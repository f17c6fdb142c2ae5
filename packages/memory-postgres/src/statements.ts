import { gt, is, isNull, or, Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias, PgDialect } from "drizzle-orm/pg-core";
import type { SqlValue, Statement } from "./client/port.ts";
import { statementName } from "./client/prepared.ts";
import { LAST_DATE_MS } from "./decoding.ts";
import type { ResolvedNames } from "./schema/names.ts";
import { createTables } from "./schema/tables.ts";

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

/** The main table under a short name: `columns`, and what stands behind `FROM`. */
export function conversationsOf(names: ResolvedNames) {
  const table = createTables(names).conversations;
  const columns = alias(table, "conversation");
  const { expiresAt } = columns;
  const live = or(isNull(expiresAt), gt(expiresAt, statementTime));
  return { columns, source: sql`${table} AS conversation`, live };
}

// Postgres has no year before 4713 BC; a JavaScript date has. Nothing was stored before this one.
export const EARLIEST_MS = Date.UTC(-4000, 0);

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

type DigestColumns = Readonly<Record<"historyDigest" | "digestBase" | "totalMessages", SQLWrapper>>;

/** Hex; without messages, what the first would begin with, "" for the incarnation; "-" for messages without digests. */
export const shownDigestOf = ({ historyDigest, digestBase, totalMessages }: DigestColumns): SQL =>
  sql`coalesce(encode(${historyDigest}, 'hex'),
    CASE WHEN ${totalMessages} > 0 THEN '-' ELSE coalesce(encode(${digestBase}, 'hex'), '') END)`;
