import type { ConversationQuery } from "@jaf/memory/adapter";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Statement } from "../client/statement.ts";
import { jsonTextOf, timestampOf, toStatement } from "../client/statements.ts";
import type { ConversationQueryParts } from "./rows.ts";

/** Returns an SQL condition: which children a listing contains. */
function selectFamily(
  { columns, table, live, isRoot }: ConversationQueryParts["conversation"],
  query: ConversationQuery,
): SQL | undefined {
  const { parentId } = columns;
  const { childrenOf } = query;
  if (childrenOf !== undefined)
    // The alias of the subquery hides the outer one, so `live` is the condition of the parent.
    return sql`${parentId} = ${childrenOf} AND EXISTS (
      SELECT FROM ${table} AS conversation WHERE ${eq(columns.conversationId, childrenOf)} AND ${live})`;
  if (query.conversationId !== undefined) return undefined;
  // On a table that was never analyzed, the planner expects almost no null, and would sort all conversations. It expects
  // half of them to fulfil a CASE, so it walks them by time.
  return query.userId === undefined ? sql`CASE WHEN ${parentId} IS NULL THEN true END` : isRoot;
}

/** Returns SQL that selects the conversations of a listing. */
function selectFound({ tables, conversation }: ConversationQueryParts, query: ConversationQuery): SQL {
  const { traces } = tables;
  const { columns, source, live } = conversation;
  const { conversationId, userId, lastActivity } = columns;
  const { traceId, since, until, cursor, limit, offset } = query;
  // With a trace, each conversation is looked up by its key. Without `OFFSET 0`, on tables that were never analyzed,
  // the planner would walk all conversations by time to find those of the trace.
  const from =
    traceId === undefined
      ? source
      : sql`(SELECT ${traces.conversationId} AS traced_id FROM ${traces} WHERE ${eq(traces.traceId, traceId)}) AS traced
        CROSS JOIN LATERAL (SELECT * FROM ${source} WHERE ${conversationId} = traced_id OFFSET 0) AS conversation`;
  const conditions = and(
    live,
    query.conversationId === undefined ? undefined : eq(conversationId, query.conversationId),
    query.userId === undefined ? undefined : eq(userId, query.userId),
    selectFamily(conversation, query),
    since && sql`${lastActivity} >= ${timestampOf(since)}`,
    until && sql`${lastActivity} <= ${timestampOf(until)}`,
    cursor &&
      sql`(${lastActivity}, ${conversationId}) < (${timestampOf(cursor.lastActivity)}, ${cursor.conversationId})`,
  );
  return sql`${from} WHERE ${conditions} ORDER BY ${lastActivity} DESC, ${conversationId} DESC
    LIMIT ${limit ?? null}::bigint OFFSET ${offset}::bigint`;
}

/** Returns a function that makes the statement for a listing of conversations. */
export function createFindQuery(parts: ConversationQueryParts): (query: ConversationQuery) => Statement {
  const { tables, conversation, columns, joined } = parts;
  const { messages } = tables;
  const { conversationId, lastActivity, lastSeq, totalMessages } = conversation.columns;

  // The sequence numbers are limited because messages with other numbers were written by hand.
  const bodiesOfPage = sql`(
    SELECT ${joined(sql`string_agg(${messages.body}, E'\\n' ORDER BY ${messages.seq})`)} FROM ${messages}
    WHERE ${messages.conversationId} = page.conversation_id
      AND ${messages.seq} > page.last_number - page.kept AND ${messages.seq} <= page.last_number)`;

  // Selects the page first, so messages of skipped conversations are not read.
  const select = (bodies: SQL, found: SQL): SQL => sql`
    SELECT page.*, ${bodies} AS bodies
    FROM (
      SELECT ${jsonTextOf(conversationId)} AS id, ${columns}, ${conversationId}, ${lastActivity} AS active_at,
        ${lastSeq} AS last_number, ${totalMessages} AS kept
      FROM ${found}
    ) AS page
    ORDER BY active_at DESC, conversation_id DESC`;

  return (query) =>
    toStatement(select(query.includeMessages ? bodiesOfPage : sql`NULL`, selectFound(parts, query)));
}
