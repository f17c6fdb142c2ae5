import type { ConversationQuery } from "@jaf/memory";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { statementName } from "./prepared.ts";
import { TOO_LARGE } from "./rows.ts";
import { qualifiedName, quoteLiteral, type ResolvedNames } from "./schema/names.ts";
import { createTables } from "./schema/tables.ts";
import type { SqlValue, Statement } from "./sql-client.ts";
import {
  conversationsOf,
  jsonTextOf,
  millisecondsOf,
  reusable,
  timestampOf,
  toStatement,
  toWrite,
} from "./statements.ts";

/** Every statement for one set of tables but the write, and what works in batches. */
export function createQueries(names: ResolvedNames, maxReadBytes: number) {
  const { messages, traces } = createTables(names);
  const { columns: conversations, source, live } = conversationsOf(names);
  const { conversationId, lastActivity } = conversations;

  const columns = sql`
    ${jsonTextOf(conversationId)} AS id,
    ${jsonTextOf(conversations.userId)} AS user_id,
    ${conversations.metadata}::text AS metadata,
    ${millisecondsOf(conversations.createdAt)} AS created_at,
    ${millisecondsOf(lastActivity)} AS last_activity,
    ${conversations.version}::text AS version,
    ${conversations.totalMessages}::text AS total_messages`;

  // Bodies hold no line break, so that one joins them; one text is far cheaper to carry than a row each. The same
  // aggregate twice is computed once.
  const joined = (body: SQL, seq: SQL): SQL => {
    const text = sql`string_agg(${body}, E'\\n' ORDER BY ${seq})`;
    return sql`CASE WHEN octet_length(${text}) > ${sql.raw(String(maxReadBytes))} THEN ${sql.raw(quoteLiteral(TOO_LARGE))} ELSE ${text} END`;
  };

  const bodiesOf = (id: SQL): SQL => sql`(
    SELECT ${joined(sql`${messages.body}`, sql`${messages.seq}`)} FROM ${messages}
    WHERE ${messages.conversationId} = ${id})`;

  // A limit walks the key backwards whatever the planner believes about a conversation's length; a condition on the
  // number does not.
  const lastBodiesOf = (id: SQL): SQL => sql`(
    SELECT ${joined(sql`latest.body`, sql`latest.seq`)} FROM (
      SELECT ${messages.body}, ${messages.seq} FROM ${messages}
      WHERE ${messages.conversationId} = ${id}
      ORDER BY ${messages.seq} DESC LIMIT ${sql.placeholder("last")}::bigint
    ) AS latest)`;

  const conditionsOf = (query: ConversationQuery): SQL | undefined =>
    and(
      live,
      query.conversationId === undefined ? undefined : eq(conversationId, query.conversationId),
      query.userId === undefined ? undefined : eq(conversations.userId, query.userId),
      query.since && sql`${lastActivity} >= ${timestampOf(query.since)}`,
      query.until && sql`${lastActivity} <= ${timestampOf(query.until)}`,
      query.cursor &&
        sql`(${lastActivity}, ${conversationId}) < (${timestampOf(query.cursor.lastActivity)}, ${query.cursor.conversationId})`,
    );

  // By trace, each conversation is looked up by its key. The offset keeps the planner from walking all conversations by
  // time in the hope of meeting the trace's soon, which is what it does to a join where nothing was analyzed.
  const sourceOf = ({ traceId }: ConversationQuery): SQL =>
    traceId === undefined
      ? source
      : sql`(SELECT ${traces.conversationId} AS traced_id FROM ${traces} WHERE ${eq(traces.traceId, traceId)}) AS traced
        CROSS JOIN LATERAL (SELECT * FROM ${source} WHERE ${conversationId} = traced_id OFFSET 0) AS conversation`;

  const readWith = (bodies: SQL): SQL => sql`
    SELECT ${columns}, ${bodies} AS bodies FROM ${source}
    WHERE ${conversationId} = ${sql.placeholder("conversationId")} AND ${live}`;

  const readAll = reusable<"conversationId">(readWith(bodiesOf(sql`${conversationId}`)));

  const readLast = reusable<"conversationId" | "last">(readWith(lastBodiesOf(sql`${conversationId}`)));

  return {
    read: (id: string, last?: number): Statement =>
      last === undefined ? readAll({ conversationId: id }) : readLast({ conversationId: id, last }),

    // The page first: the messages of conversations that an offset skips are not read.
    find: (query: ConversationQuery): Statement =>
      toStatement(sql`
        SELECT page.*, ${query.includeMessages ? bodiesOf(sql`page.conversation_id`) : sql`NULL`} AS bodies
        FROM (
          SELECT ${columns}, ${conversationId}, ${lastActivity} AS active_at
          FROM ${sourceOf(query)} WHERE ${conditionsOf(query)}
          ORDER BY ${lastActivity} DESC, ${conversationId} DESC
          LIMIT ${query.limit ?? null}::bigint OFFSET ${query.offset}::bigint
        ) AS page
        ORDER BY active_at DESC, conversation_id DESC`),

    delete: (id: string): Statement =>
      toWrite(sql`
        DELETE FROM ${source} WHERE ${eq(conversationId, id)} RETURNING (${live})::text AS was_live`),

    stats: (userId?: string): Statement =>
      toStatement(sql`
        SELECT count(*)::text AS conversations,
          coalesce(sum(${conversations.totalMessages}), 0)::text AS messages,
          ${millisecondsOf(sql`min(${conversations.createdAt})`)} AS oldest,
          ${millisecondsOf(sql`max(${conversations.createdAt})`)} AS newest
        FROM ${source}
        WHERE ${and(live, userId === undefined ? undefined : eq(conversations.userId, userId))}`),
  };
}

/** The call of the function that does a whole write; `migrations/0001_write_function.sql` describes it. */
export function createWriteCall(names: ResolvedNames): (values: readonly SqlValue[]) => Statement {
  const text = `SELECT ${qualifiedName(names, "_write")}(
    $1::text, $2::boolean, $3::text[], $4::boolean[], $5::text, $6::text, $7::text::jsonb,
    $8::bigint, $9::text, $10::text, $11::bigint, $12::bigint) AS outcome`;
  const name = statementName(text);
  return (values) => ({ name, text, values, writes: true });
}
