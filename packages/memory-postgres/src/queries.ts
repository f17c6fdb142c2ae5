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

// Enough to make a row of it worth while, and few enough to be on their way soon: the server copies a text several times
// before it is sent, and one of some 30 kB stays in its cache meanwhile.
const partSize = sql.raw("64");

/** Every statement for one set of tables but the write, and what works in batches. */
export function createQueries(names: ResolvedNames, maxReadBytes: number) {
  const { messages, traces } = createTables(names);
  const { columns: conversations, source, live } = conversationsOf(names);
  const { conversationId, lastActivity, version, totalMessages } = conversations;
  const readable = sql.raw(String(maxReadBytes));

  const columnsWith = (metadata: SQL): SQL => sql`
    ${jsonTextOf(conversations.userId)} AS user_id,
    ${metadata} AS metadata,
    ${millisecondsOf(conversations.createdAt)} AS created_at,
    ${millisecondsOf(lastActivity)} AS last_activity,
    ${version}::text AS version,
    ${totalMessages}::text AS total_messages`;

  const metadataText = sql`${conversations.metadata}::text`;
  const columns = columnsWith(metadataText);

  const orTooLarge = (isTooLarge: SQL, bodies: SQL): SQL =>
    sql`CASE WHEN ${isTooLarge} THEN ${sql.raw(quoteLiteral(TOO_LARGE))} ELSE ${bodies} END`;

  // Bodies hold no line break, so that one joins them; one text is far cheaper to carry than a row each. The same
  // aggregate twice is computed once.
  const joined = (text: SQL): SQL => orTooLarge(sql`octet_length(${text}) > ${readable}`, text);

  // What has other numbers was written by hand.
  const bodiesOfPage = sql`(
    SELECT ${joined(sql`string_agg(${messages.body}, E'\\n' ORDER BY ${messages.seq})`)} FROM ${messages}
    WHERE ${messages.conversationId} = page.conversation_id
      AND ${messages.seq} > page.last_seq - page.kept AND ${messages.seq} <= page.last_seq)`;

  // Newest first. A limit walks the key backwards whatever the planner believes about a conversation's length; a
  // condition on the number does not. It is a subquery, since a planner that knows the limit believes that it can do
  // better with it each time, and planning takes longer than reading.
  const lastBodies = sql`(
    SELECT ${joined(sql`string_agg(latest.body, E'\\n')`)} FROM (
      SELECT ${messages.body} FROM ${messages}
      WHERE ${messages.conversationId} = ${conversationId}
        AND ${messages.seq} > ${version} - ${totalMessages} AND ${messages.seq} <= ${version}
      ORDER BY ${messages.seq} DESC LIMIT (SELECT ${sql.placeholder("last")}::bigint)
    ) AS latest)`;

  // Stored messages are numbered up to the version without a gap.
  const firstPart = sql`(${version} - ${totalMessages}) / ${partSize}`;
  const lastPart = sql`${version} / ${partSize}`;

  // By way of an array, of which the planner expects few elements. Of a series it expects a thousand, and compiles so
  // costly a query each time, which takes longer than running it.
  const parts = sql`unnest(ARRAY(SELECT generate_series(${firstPart}, ${lastPart}))) WITH ORDINALITY AS parts (part, nth)`;

  const joinedPart = sql`(
    SELECT string_agg(ordered.body, E'\\n') AS bodies FROM (
      SELECT ${messages.body} FROM ${messages}
      WHERE ${messages.conversationId} = ${conversationId}
        AND ${messages.seq} > greatest(part * ${partSize} - 1, ${version} - ${totalMessages})
        AND ${messages.seq} <= least(part * ${partSize} + ${partSize} - 1, ${version})
      ORDER BY ${messages.seq}
    ) AS ordered) AS joined`;

  // All that is stored is measured only if a part has more than its share: else the whole can't be too large.
  const isTooLarge = sql`(
    SELECT sum(octet_length(${messages.body})) FROM ${messages}
    WHERE ${messages.conversationId} = ${sql.placeholder("conversationId")}) > ${readable}`;
  const bodiesOfPart = sql`CASE WHEN octet_length(bodies) > ${readable} / (${lastPart} - ${firstPart} + 1)
    THEN ${orTooLarge(isTooLarge, sql`bodies`)} ELSE bodies END`;

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

  const ofOne = sql`${conversationId} = ${sql.placeholder("conversationId")} AND ${live}`;

  const readLast = reusable<"conversationId" | "last">(sql`
    SELECT ${columns}, ${lastBodies} AS bodies FROM ${source} WHERE ${ofOne}`);

  // In parts, each a row: the client takes one in while the server joins the next.
  const firstMetadata = sql`CASE WHEN nth = 1 THEN ${metadataText} END`;
  const readAll = reusable<"conversationId">(sql`
    SELECT nth::text AS nth, ${columnsWith(firstMetadata)}, ${bodiesOfPart} AS bodies
    FROM ${source}, ${parts}, LATERAL ${joinedPart} WHERE ${ofOne}`);

  return {
    readAll: (id: string): Statement => readAll({ conversationId: id }),

    readLast: (id: string, last: number): Statement => readLast({ conversationId: id, last }),

    // The page first: the messages of conversations that an offset skips are not read.
    find: (query: ConversationQuery): Statement =>
      toStatement(sql`
        SELECT page.*, ${query.includeMessages ? bodiesOfPage : sql`NULL`} AS bodies
        FROM (
          SELECT ${jsonTextOf(conversationId)} AS id, ${columns}, ${conversationId}, ${lastActivity} AS active_at,
            ${version} AS last_seq, ${totalMessages} AS kept
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
          coalesce(sum(${totalMessages}), 0)::text AS messages,
          ${millisecondsOf(sql`min(${conversations.createdAt})`)} AS oldest,
          ${millisecondsOf(sql`max(${conversations.createdAt})`)} AS newest
        FROM ${source}
        WHERE ${and(live, userId === undefined ? undefined : eq(conversations.userId, userId))}`),
  };
}

/** The call of the function that does a whole write; `migrations/0005_own_tables.sql` describes it. */
export function createWriteCall(names: ResolvedNames): (values: readonly SqlValue[]) => Statement {
  const text = `SELECT ${qualifiedName(names, "_write")}(
    $1::text, $2::boolean, $3::text[], $4::boolean[], $5::text, $6::text, $7::text::jsonb,
    $8::bigint, $9::text, $10::text, $11::bigint, $12::bigint) AS outcome`;
  const name = statementName(text);
  return (values) => ({ name, text, values, writes: true });
}
