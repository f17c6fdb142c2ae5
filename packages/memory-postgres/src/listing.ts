import type { ConversationQuery } from "@jaf/memory/adapter";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SqlValue, Statement } from "./client/port.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { EARLIEST_MS, jsonTextOf, reusable, timestampOf, toStatement } from "./statements.ts";

type PageValue = "userId" | "since" | "until" | "cursorTime" | "cursorId" | "limit" | "offset";

/** Infinite for what Postgres has no year for, as {@link timestampOf} has it. */
const timeValue = (date: Date): string =>
  date.getTime() < EARLIEST_MS ? "-Infinity" : String(date.getTime());

const valuesOf = ({ userId, since, until, cursor, limit, offset }: ConversationQuery) =>
  ({
    userId: userId ?? null,
    since: since === undefined ? "-Infinity" : timeValue(since),
    until: until === undefined ? "Infinity" : timeValue(until),
    cursorTime: cursor === undefined ? null : timeValue(cursor.lastActivity),
    cursorId: cursor?.conversationId ?? null,
    limit: limit ?? null,
    offset,
  }) satisfies Record<PageValue, SqlValue>;

/** The call of the function that finds a page; `migrations/conversation-listing.ts` describes it. */
function selectPage({ functionName }: ConversationParts): SQL {
  const text = (name: PageValue) => sql`${sql.placeholder(name)}::text`;
  const time = (name: PageValue) => sql`to_timestamp(${sql.placeholder(name)}::float8 / 1000)`;
  const number = (name: PageValue) => sql`${sql.placeholder(name)}::bigint`;
  return sql`${sql.raw(functionName("_page"))}(${text("userId")}, ${time("since")}, ${time("until")},
    ${time("cursorTime")}, ${text("cursorId")}, ${number("limit")}, ${number("offset")}) AS conversation`;
}

/** All that are asked for, or those of a trace, or the one with an id: few, which are sorted. */
function selectAll({ tables, conversation }: ConversationParts, query: ConversationQuery): SQL {
  const { traces } = tables;
  const { columns, source, live } = conversation;
  const { conversationId, userId, lastActivity } = columns;
  const { traceId, since, until, cursor, limit, offset } = query;
  // By trace, each conversation is looked up by its key. The offset keeps the planner from walking all conversations by
  // time in the hope of meeting the trace's soon, which is what it does to a join where nothing was analyzed.
  const from =
    traceId === undefined
      ? source
      : sql`(SELECT ${traces.conversationId} AS traced_id FROM ${traces} WHERE ${eq(traces.traceId, traceId)}) AS traced
        CROSS JOIN LATERAL (SELECT * FROM ${source} WHERE ${conversationId} = traced_id OFFSET 0) AS conversation`;
  const conditions = and(
    live,
    query.conversationId === undefined ? undefined : eq(conversationId, query.conversationId),
    query.userId === undefined ? undefined : eq(userId, query.userId),
    since && sql`${lastActivity} >= ${timestampOf(since)}`,
    until && sql`${lastActivity} <= ${timestampOf(until)}`,
    cursor &&
      sql`(${lastActivity}, ${conversationId}) < (${timestampOf(cursor.lastActivity)}, ${cursor.conversationId})`,
  );
  return sql`${from} WHERE ${conditions} ORDER BY ${lastActivity} DESC, ${conversationId} DESC
    LIMIT ${limit ?? null}::bigint OFFSET ${offset}::bigint`;
}

const isPage = ({ conversationId, traceId, limit }: ConversationQuery): boolean =>
  limit !== undefined && conversationId === undefined && traceId === undefined;

/** The statements that list conversations. */
export function createFindQuery(parts: ConversationParts): (query: ConversationQuery) => Statement {
  const { tables, conversation, columns, joined } = parts;
  const { messages } = tables;
  const { conversationId, lastActivity, lastSeq, totalMessages } = conversation.columns;

  // What has other numbers was written by hand.
  const bodiesOfPage = sql`(
    SELECT ${joined(sql`string_agg(${messages.body}, E'\\n' ORDER BY ${messages.seq})`)} FROM ${messages}
    WHERE ${messages.conversationId} = page.conversation_id
      AND ${messages.seq} > page.last_number - page.kept AND ${messages.seq} <= page.last_number)`;

  // The page first: the messages of conversations that an offset skips are not read.
  const select = (bodies: SQL, found: SQL): SQL => sql`
    SELECT page.*, ${bodies} AS bodies
    FROM (
      SELECT ${jsonTextOf(conversationId)} AS id, ${columns}, ${conversationId}, ${lastActivity} AS active_at,
        ${lastSeq} AS last_number, ${totalMessages} AS kept
      FROM ${found}
    ) AS page
    ORDER BY active_at DESC, conversation_id DESC`;

  const none = sql`NULL`;
  const page = selectPage(parts);
  const pageOf = {
    withMessages: reusable<PageValue>(select(bodiesOfPage, page)),
    alone: reusable<PageValue>(select(none, page)),
  };

  return (query) => {
    const { includeMessages } = query;
    if (isPage(query)) return pageOf[includeMessages ? "withMessages" : "alone"](valuesOf(query));
    return toStatement(select(includeMessages ? bodiesOfPage : none, selectAll(parts, query)));
  };
}
