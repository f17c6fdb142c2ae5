import type { ConversationQuery } from "@jaf/memory";
import { and, eq, fillPlaceholders, gt, isNull, or, type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { statementName } from "./prepared.ts";
import { TOO_LARGE } from "./rows.ts";
import { qualifiedName, quoteLiteral, type ResolvedNames } from "./schema/names.ts";
import { createTables } from "./schema/tables.ts";
import type { SqlValue, Statement } from "./sql-client.ts";

/** How many conversations of a user one statement deletes, so that none holds its locks for long. */
export const CLEAR_BATCH = 1_000;

const dialect = new PgDialect();

function toStatement(query: SQL): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return { text, values: params as SqlValue[] };
}

const toWrite = (query: SQL): Statement => ({ ...toStatement(query), writes: true });

/** Rendered once, and worth preparing. */
function reusable<Names extends string>(query: SQL): (values: Record<Names, SqlValue>) => Statement {
  const { sql: text, params } = dialect.sqlToQuery(query);
  const name = statementName(text);
  return (values) => ({ name, text, values: fillPlaceholders(params, values) as SqlValue[] });
}

// Postgres has no year before 4713 BC; a JavaScript date has. Nothing was stored before this one.
const EARLIEST_MS = Date.UTC(-4000, 0);

// Exact to the millisecond, and, unlike text, right for every year.
const timestampOf = (date: Date): SQL =>
  sql`to_timestamp(${Math.max(date.getTime(), EARLIEST_MS)}::float8 / 1000)`;

const millisecondsOf = (column: SQL.Aliased | SQL | object): SQL =>
  sql`floor(extract(epoch from ${column}) * 1000)::text`;

/** Every statement but the write, for one set of tables. */
export function createQueries(names: ResolvedNames, maxReadBytes: number) {
  const { conversations, messages, traces } = createTables(names);

  const live = or(isNull(conversations.expiresAt), gt(conversations.expiresAt, sql`now()`));

  // Ids as JSON: PGlite drops a byte order mark that a text begins with.
  const columns = sql`
    to_json(${conversations.conversationId})::text AS id,
    to_json(${conversations.userId})::text AS user_id,
    ${conversations.metadata}::text AS metadata,
    ${millisecondsOf(conversations.createdAt)} AS created_at,
    ${millisecondsOf(conversations.lastActivity)} AS last_activity,
    ${conversations.version}::text AS version,
    ${conversations.totalMessages}::text AS total_messages`;

  // Bodies hold no line break, so that one joins them; one text is far cheaper to carry than a row each. The same
  // aggregate twice is computed once.
  const joined = (body: SQL, seq: SQL): SQL => {
    const text = sql`string_agg(${body}, E'\\n' ORDER BY ${seq})`;
    return sql`CASE WHEN octet_length(${text}) > ${sql.raw(String(maxReadBytes))} THEN ${sql.raw(quoteLiteral(TOO_LARGE))} ELSE ${text} END`;
  };

  const bodiesOf = (conversationId: SQL): SQL => sql`(
    SELECT ${joined(sql`${messages.body}`, sql`${messages.seq}`)} FROM ${messages}
    WHERE ${messages.conversationId} = ${conversationId})`;

  // A limit walks the key backwards whatever the planner believes about a conversation's length; a condition on the
  // number does not.
  const lastBodiesOf = (conversationId: SQL): SQL => sql`(
    SELECT ${joined(sql`latest.body`, sql`latest.seq`)} FROM (
      SELECT ${messages.body}, ${messages.seq} FROM ${messages}
      WHERE ${messages.conversationId} = ${conversationId}
      ORDER BY ${messages.seq} DESC LIMIT ${sql.placeholder("last")}::bigint
    ) AS latest)`;

  function conditionsOf(query: ConversationQuery): SQL | undefined {
    const { conversationId, userId, traceId, since, until, cursor } = query;
    const { lastActivity } = conversations;
    return and(
      live,
      conversationId === undefined ? undefined : eq(conversations.conversationId, conversationId),
      userId === undefined ? undefined : eq(conversations.userId, userId),
      traceId === undefined
        ? undefined
        : sql`${conversations.conversationId} IN (
            SELECT ${traces.conversationId} FROM ${traces} WHERE ${traces.traceId} = ${traceId})`,
      since && sql`${lastActivity} >= ${timestampOf(since)}`,
      until && sql`${lastActivity} <= ${timestampOf(until)}`,
      cursor &&
        sql`(${lastActivity}, ${conversations.conversationId}) < (${timestampOf(cursor.lastActivity)}, ${cursor.conversationId})`,
    );
  }

  const readWith = (bodies: SQL): SQL => sql`
    SELECT ${columns}, ${bodies} AS bodies FROM ${conversations}
    WHERE ${conversations.conversationId} = ${sql.placeholder("conversationId")} AND ${live}`;

  const ownId = sql`${conversations.conversationId}`;

  const readAll = reusable<"conversationId">(readWith(bodiesOf(ownId)));

  const readLast = reusable<"conversationId" | "last">(readWith(lastBodiesOf(ownId)));

  return {
    read: (conversationId: string, last?: number): Statement =>
      last === undefined ? readAll({ conversationId }) : readLast({ conversationId, last }),

    // The page first: the messages of conversations that an offset skips are not read.
    find: (query: ConversationQuery): Statement =>
      toStatement(sql`
        SELECT page.*, ${query.includeMessages ? bodiesOf(sql`page.conversation_id`) : sql`NULL`} AS bodies
        FROM (
          SELECT ${columns}, ${conversations.conversationId}, ${conversations.lastActivity} AS active_at
          FROM ${conversations} WHERE ${conditionsOf(query)}
          ORDER BY ${conversations.lastActivity} DESC, ${conversations.conversationId} DESC
          LIMIT ${query.limit ?? null}::bigint OFFSET ${query.offset}::bigint
        ) AS page
        ORDER BY active_at DESC, conversation_id DESC`),

    delete: (conversationId: string): Statement =>
      toWrite(sql`
        DELETE FROM ${conversations} WHERE ${eq(conversations.conversationId, conversationId)}
        RETURNING (${live})::text AS was_live`),

    // In a fixed order: two of them at once wait for each other and don't deadlock.
    clearUser: (userId: string): Statement =>
      toWrite(sql`
        WITH batch AS (
          SELECT ${conversations.conversationId} FROM ${conversations} WHERE ${eq(conversations.userId, userId)}
          ORDER BY ${conversations.conversationId} LIMIT ${CLEAR_BATCH}::bigint FOR UPDATE
        ), deleted AS (
          DELETE FROM ${conversations} WHERE ${conversations.conversationId} IN (SELECT conversation_id FROM batch)
          RETURNING (${live}) AS was_live
        )
        SELECT count(*)::text AS deleted, (count(*) FILTER (WHERE was_live))::text AS were_live FROM deleted`),

    stats: (userId?: string): Statement =>
      toStatement(sql`
        SELECT count(*)::text AS conversations,
          coalesce(sum(${conversations.totalMessages}), 0)::text AS messages,
          ${millisecondsOf(sql`min(${conversations.createdAt})`)} AS oldest,
          ${millisecondsOf(sql`max(${conversations.createdAt})`)} AS newest
        FROM ${conversations}
        WHERE ${and(live, userId === undefined ? undefined : eq(conversations.userId, userId))}`),
  };
}

/** The call of the function that does a whole write; `migrations/0001_write_function.sql` describes it. */
export function createWriteCall(names: ResolvedNames): (values: readonly SqlValue[]) => Statement {
  const text = `SELECT status, actual_version::text FROM ${qualifiedName(names, "_write")}(
    $1::text, $2::boolean, $3::text[], $4::boolean[], $5::text, $6::text, $7::text::jsonb,
    $8::bigint, $9::text, $10::text, $11::bigint, $12::bigint)`;
  const name = statementName(text);
  return (values) => ({ name, text, values, writes: true });
}
