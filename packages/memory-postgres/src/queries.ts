import type { ConversationQuery } from "@jaf/memory/adapter";
import { TOMBSTONE_SECONDS } from "@jaf/memory/adapter";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { conversationParts } from "./conversation-parts.ts";
import type { ResolvedNames } from "./schema/names.ts";
import type { Statement } from "./sql-client.ts";
import { jsonTextOf, millisecondsOf, timestampOf, toStatement, toWrite } from "./statements.ts";

/** Every statement for one set of tables but writing, reading one conversation, and what works in batches. */
export function createQueries(names: ResolvedNames, maxReadBytes: number) {
  const { tables, conversation, columns, joined, functionName } = conversationParts(names, maxReadBytes);
  const { messages, traces } = tables;
  const { columns: conversations, source, live } = conversation;
  const { conversationId, lastActivity, lastSeq, totalMessages } = conversations;

  // What has other numbers was written by hand.
  const bodiesOfPage = sql`(
    SELECT ${joined(sql`string_agg(${messages.body}, E'\\n' ORDER BY ${messages.seq})`)} FROM ${messages}
    WHERE ${messages.conversationId} = page.conversation_id
      AND ${messages.seq} > page.last_number - page.kept AND ${messages.seq} <= page.last_number)`;

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

  return {
    // The page first: the messages of conversations that an offset skips are not read.
    find: (query: ConversationQuery): Statement =>
      toStatement(sql`
        SELECT page.*, ${query.includeMessages ? bodiesOfPage : sql`NULL`} AS bodies
        FROM (
          SELECT ${jsonTextOf(conversationId)} AS id, ${columns}, ${conversationId}, ${lastActivity} AS active_at,
            ${lastSeq} AS last_number, ${totalMessages} AS kept
          FROM ${sourceOf(query)} WHERE ${conditionsOf(query)}
          ORDER BY ${lastActivity} DESC, ${conversationId} DESC
          LIMIT ${query.limit ?? null}::bigint OFFSET ${query.offset}::bigint
        ) AS page
        ORDER BY active_at DESC, conversation_id DESC`),

    /** The call of the function that deletes one; `migrations/0004_erasure.sql` describes it, and the next one. */
    delete: (id: string): Statement =>
      toWrite(sql`
        SELECT ${sql.raw(functionName("_delete"))}(${id}::text, ${TOMBSTONE_SECONDS}::bigint)::text AS was_live`),

    /** Leaves the tombstone of a user. */
    clear: (userId: string): Statement =>
      toWrite(
        sql`SELECT FROM ${sql.raw(functionName("_clear"))}(${userId}::text, ${TOMBSTONE_SECONDS}::bigint)`,
      ),

    stats: (userId?: string): Statement =>
      toStatement(sql`
        SELECT count(*)::text AS conversations,
          coalesce(sum(${totalMessages}), 0)::text AS messages,
          ${millisecondsOf(sql`min(${conversations.createdAt})`)} AS oldest,
          ${millisecondsOf(sql`max(${conversations.createdAt})`)} AS newest
        FROM ${source}
        WHERE ${and(live, userId === undefined ? undefined : eq(conversations.userId, userId))}`),
  };
}
