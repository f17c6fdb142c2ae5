import type {
  HistoryRequest,
  MemoryBackend,
  ReadOutcome,
  ReadRequest,
  StoredHistory,
  StoredSelection,
} from "@jaf/memory/adapter";
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { SqlClient } from "../client/clients.ts";
import type { SqlRow, SqlValue, Statement } from "../client/statement.ts";
import { millisecondsOf, reusable } from "../client/statements.ts";
import { createConversationTables } from "../migrations/conversations.ts";
import type { ResolvedNames } from "../table-names.ts";
import {
  bodiesIn,
  type ConversationQueryParts,
  conversationQueryParts,
  digestIn,
  digestTextOf,
  firstPositionOf,
  toExtras,
  toSelected,
  toTime,
  toTombstones,
} from "./rows.ts";

// The number of messages in one part. A part is large enough to be worth a row, and small enough to be sent soon.
// Before the server sends a text, it copies it several times: about 30 kB fit into the processor's cache.
const partSize = sql.raw("64");

type ReadValue = "conversationId" | "owner" | "key" | "last" | "after" | "before" | "limit" | "messageId";

const given = (name: ReadValue): SQL => sql`${sql.placeholder(name)}::bigint`;

/** Returns a statement that reads one conversation. `extras`: SQL for more columns. */
type Selecting = (extras: SQL) => SQL;

function selectAll({
  tables,
  conversation,
  columnsWith,
  metadata,
  ofOne,
  orTooLarge,
  readable,
}: ConversationQueryParts): Selecting {
  const { messages } = tables;
  const { conversationId, lastSeq, totalMessages } = conversation.columns;
  const firstPart = sql`(${lastSeq} - ${totalMessages}) / ${partSize}`;
  const lastPart = sql`${lastSeq} / ${partSize}`;

  // The array makes the planner expect few parts. Of a plain series it expects a thousand. Then it would compile the
  // query each time, which takes longer than running the query.
  const parts = sql`unnest(ARRAY(SELECT generate_series(${firstPart}, ${lastPart}))) WITH ORDINALITY AS parts (part, nth)`;

  const joinedPart = sql`(
    SELECT string_agg(ordered.body, E'\\n') AS bodies FROM (
      SELECT ${messages.body} FROM ${messages}
      WHERE ${messages.conversationId} = ${conversationId}
        AND ${messages.seq} > greatest(part * ${partSize} - 1, ${lastSeq} - ${totalMessages})
        AND ${messages.seq} <= least(part * ${partSize} + ${partSize} - 1, ${lastSeq})
      ORDER BY ${messages.seq}
    ) AS ordered) AS joined`;

  // Measures all messages only if a part exceeds its share of the limit. If no part does, the whole can't be too large.
  const isTooLarge = sql`(
    SELECT sum(octet_length(${messages.body})) FROM ${messages}
    WHERE ${messages.conversationId} = ${sql.placeholder("conversationId")}) > ${readable}`;
  const bodiesOfPart = sql`CASE WHEN octet_length(bodies) > ${readable} / (${lastPart} - ${firstPart} + 1)
    THEN ${orTooLarge(isTooLarge, sql`bodies`)} ELSE bodies END`;

  // Each part is a row, so the client receives one part while the server joins the next.
  const ofFirst = (column: SQL) => sql`CASE WHEN nth = 1 THEN ${column} END`;
  const columns = columnsWith({ jsonb: ofFirst(metadata.jsonb), exact: ofFirst(metadata.exact) });
  return (extras) => sql`
    SELECT nth::text AS nth, ${columns}, ${bodiesOfPart} AS bodies${extras}
    FROM ${conversation.source}, ${parts}, LATERAL ${joinedPart} WHERE ${ofOne}`;
}

function selectLast({ tables, conversation, columns, ofOne, joined }: ConversationQueryParts): Selecting {
  const { messages } = tables;
  const { conversationId, lastSeq, totalMessages } = conversation.columns;
  // The newest message comes first. With a limit, the planner always reads the key backwards. With a condition on the
  // sequence number instead, this depends on its estimate of the conversation's length. The limit is a subquery
  // because, with a known limit, the planner would plan again each time, which takes longer than reading.
  const bodies = sql`(
    SELECT ${joined(sql`string_agg(latest.body, E'\\n')`)} FROM (
      SELECT ${messages.body} FROM ${messages}
      WHERE ${messages.conversationId} = ${conversationId}
        AND ${messages.seq} > ${lastSeq} - ${totalMessages} AND ${messages.seq} <= ${lastSeq}
      ORDER BY ${messages.seq} DESC LIMIT (SELECT ${given("last")})
    ) AS latest)`;
  return (extras) =>
    sql`SELECT ${columns}, ${bodies} AS bodies${extras} FROM ${conversation.source} WHERE ${ofOne}`;
}

/** Selects a range of positions. */
function selectRange({ tables, conversation, columns, ofOne, joined }: ConversationQueryParts): Selecting {
  const { messages } = tables;
  const { conversationId, lastSeq, totalMessages } = conversation.columns;
  // Positions begin with 0, but sequence numbers with 1. So the messages after position `after` begin with the sequence
  // number `after + 2`.
  const [after, before, limit] = [given("after"), given("before"), given("limit")];
  // Because sequence numbers have no gaps, a limit is also a bound. `greatest` and `least` ignore null.
  const end = sql`least(${before}, ${lastSeq})`;
  const start = sql`greatest(${after} + 1, ${lastSeq} - ${totalMessages})`;
  const limitedStart = sql`greatest(${start}, CASE WHEN ${after} IS NULL THEN ${end} - ${limit} END)`;
  const limitedEnd = sql`least(${end}, CASE WHEN ${after} IS NOT NULL THEN ${start} + ${limit} END)`;
  const bodies = sql`(
    SELECT ${joined(sql`string_agg(ordered.body, E'\\n')`)} FROM (
      SELECT ${messages.body} FROM ${messages}
      WHERE ${messages.conversationId} = ${conversationId}
        AND ${messages.seq} > bounds.start AND ${messages.seq} <= bounds.stop
      ORDER BY ${messages.seq}
    ) AS ordered)`;
  return (extras) => sql`
    SELECT ${columns}, bounds.start::text AS first_position, ${bodies} AS bodies${extras}
    FROM ${conversation.source}, LATERAL (SELECT ${limitedStart} AS start, ${limitedEnd} AS stop) AS bounds
    WHERE ${ofOne}`;
}

function selectMessage({ tables, conversation, columns, ofOne, joined }: ConversationQueryParts): Selecting {
  const { messages } = tables;
  const { conversationId, lastSeq, totalMessages } = conversation.columns;
  return (extras) => sql`
    SELECT ${columns}, (message.seq - 1)::text AS first_position, ${joined(sql`message.body`)} AS bodies${extras}
    FROM ${conversation.source} LEFT JOIN ${messages} AS message ON message.conversation_id = ${conversationId}
      AND message.message_id = ${sql.placeholder("messageId")}
      AND message.seq > ${lastSeq} - ${totalMessages} AND message.seq <= ${lastSeq}
    WHERE ${ofOne}`;
}

const selectNone =
  ({ conversation, columns, ofOne }: ConversationQueryParts): Selecting =>
  (extras) =>
    sql`SELECT ${columns}, NULL AS bodies${extras} FROM ${conversation.source} WHERE ${ofOne}`;

const SELECTIONS: Readonly<Record<StoredSelection["kind"], (parts: ConversationQueryParts) => Selecting>> = {
  all: selectAll,
  last: selectLast,
  range: selectRange,
  message: selectMessage,
  none: selectNone,
};

/** Returns functions that make the statements which read one conversation. */
export function createReadQueries(names: ResolvedNames, maxReadBytes: number) {
  const parts = conversationQueryParts(names, maxReadBytes);
  const { messages, traces, keys } = createConversationTables(names);
  const { conversationId, ttlSeconds } = parts.conversation.columns;
  const rendered = new Map<string, (values: Record<ReadValue, SqlValue>) => Statement>();

  const receipt = sql`, (
    SELECT ${keys.lastSeq} FROM ${keys}
    WHERE ${keys.conversationId} = ${conversationId} AND ${keys.idempotencyKey} = ${sql.placeholder("key")}
  )::text AS receipt`;

  const forExport = sql`, ${ttlSeconds}::text AS ttl_seconds,
    (SELECT json_agg(${traces.traceId}) FROM ${traces} WHERE ${traces.conversationId} = ${conversationId})::text AS traces,
    (SELECT json_object_agg(${messages.seq}, ${messages.messageId}) FROM ${messages}
      WHERE ${messages.conversationId} = ${conversationId} AND ${messages.messageId} IS NOT NULL)::text AS message_ids`;

  // The time of the read, also in a transaction that began long ago. In whole milliseconds, as in writes.
  const readAt = sql`, ${millisecondsOf(sql`date_trunc('milliseconds', clock_timestamp())`)} AS read_at`;

  const partsFor = (owner: string | undefined): ConversationQueryParts =>
    owner === undefined ? parts : { ...parts, ofOne: sql`${parts.ofOne} AND ${parts.ofOwner}` };

  function statementOf({
    messages: { kind },
    receiptFor,
    owner,
    forExport: isExport = false,
    asksTime = false,
  }: ReadRequest) {
    const variant = `${kind} ${receiptFor !== undefined} ${owner !== undefined} ${isExport} ${asksTime}`;
    const known = rendered.get(variant);
    if (known !== undefined) return known;
    const asked = [
      receiptFor === undefined ? [] : receipt,
      isExport ? forExport : [],
      asksTime ? readAt : [],
    ];
    const extras = sql.join(asked.flat());
    const made = reusable<ReadValue>(SELECTIONS[kind](partsFor(owner))(extras));
    rendered.set(variant, made);
    return made;
  }

  const tombstonesFor = (owner: string | undefined) =>
    reusable<"conversationId" | "userId" | "owner">(sql`
    SELECT tombstones.of[1] AS conversation_tombstone, tombstones.of[2] AS user_tombstone${readAt}
    FROM ${sql.raw(parts.functionName("_tombstones_of"))}(${sql.placeholder("conversationId")}::text, ${sql.placeholder("userId")}::text)
      AS tombstones (of)
    WHERE NOT EXISTS (SELECT FROM ${parts.conversation.source} WHERE ${partsFor(owner).ofOne})`);
  const tombstones = { ofAny: tombstonesFor(undefined), ofOwner: tombstonesFor("owner") };

  return {
    read: (request: ReadRequest): Statement => {
      const { conversationId: id, messages: selection, receiptFor } = request;
      const range = selection.kind === "range" ? selection : undefined;
      return statementOf(request)({
        conversationId: id,
        owner: request.owner ?? null,
        key: receiptFor ?? null,
        last: selection.kind === "last" ? selection.limit : null,
        after: range?.after ?? null,
        before: range?.before ?? null,
        limit: range?.limit ?? null,
        messageId: selection.kind === "message" ? selection.messageId : null,
      });
    },

    /** Reads the tombstones of a missing conversation. Returns no row if the conversation exists by now. */
    tombstones: ({ conversationId: id, tombstones: asked, owner }: ReadRequest): Statement =>
      tombstones[owner === undefined ? "ofAny" : "ofOwner"]({
        ...{ conversationId: id, userId: asked?.userId ?? null, owner: owner ?? null },
      }),
  };
}

/** Returns a function that reads one conversation, usually in one statement. */
export function createReading(
  sql: SqlClient,
  names: ResolvedNames,
  maxReadBytes: number,
): MemoryBackend["read"] {
  const queries = createReadQueries(names, maxReadBytes);

  return async function read(request): Promise<ReadOutcome> {
    const { conversationId, messages, tombstones, asksTime } = request;
    const rows = await sql.query(queries.read(request));
    const conversation = toSelected(conversationId, messages.kind, rows);
    const [row = {}] = rows;
    if (conversation !== undefined) {
      return {
        conversation,
        firstPosition: firstPositionOf(conversation, row),
        ...toExtras(row, conversation),
      };
    }
    if (tombstones === undefined && asksTime !== true) return { conversation: null };
    const [found] = await sql.query(queries.tombstones(request));
    // If there is no row, the conversation was created between the two statements. Then their results don't belong to
    // the same moment.
    return found === undefined
      ? read(request)
      : { conversation: null, tombstones: toTombstones(found), ...toTime(found) };
  };
}

/** Returns a function that makes the statement which reads messages with their digests. */
// The messages are returned as JSON, because a message that was written by hand may contain line breaks.
export function createHistoryQuery({
  tables,
  conversation,
  ofOne,
  joined,
}: ConversationQueryParts): (request: HistoryRequest) => Statement {
  const { messages } = tables;
  const { columns, source } = conversation;
  const { conversationId, lastSeq, totalMessages, digestBase, incarnation } = columns;
  // Positions begin with 0, sequence numbers with 1.
  const first = sql`greatest(${lastSeq} - ${totalMessages}, ${sql.placeholder("from")}::bigint)`;
  const stored = sql`json_agg(json_build_array(stored.body, encode(stored.digest, 'hex')) ORDER BY stored.seq)::text`;
  const query = reusable<"conversationId" | "from" | "limit">(sql`
    SELECT concat_ws(' ', ${lastSeq}, ${totalMessages}, ${digestTextOf(columns)}) AS counts,
      coalesce(encode(${digestBase}, 'hex'), ${incarnation}) AS base,
      (
        SELECT ${joined(stored)} FROM (
          SELECT ${messages.seq} AS seq, ${messages.body} AS body, ${messages.digest} AS digest FROM ${messages}
          WHERE ${messages.conversationId} = ${conversationId} AND ${messages.seq} > ${first}
          ORDER BY ${messages.seq} LIMIT (SELECT ${sql.placeholder("limit")}::bigint)
        ) AS stored
      ) AS bodies
    FROM ${source} WHERE ${ofOne}`);
  return ({ conversationId: id, from, limit }) => query({ conversationId: id, from, limit });
}

const storedSchema = z.array(z.tuple([z.string(), z.string().nullable()]));

/**
 * Converts the row of the history statement into a `StoredHistory`. Returns `null` if the conversation doesn't exist.
 */
export function toHistory(row: SqlRow | undefined): StoredHistory | null {
  if (row === undefined) return null;
  const [lastSeq, total, digestText] = row["counts"]?.split(" ") ?? [];
  const base = row["base"] ?? "";
  const stored = storedSchema.parse(JSON.parse(bodiesIn(row) ?? "[]"));
  const nextPosition = Number(lastSeq);
  return {
    firstPosition: nextPosition - Number(total),
    nextPosition,
    base,
    ...digestIn(digestText, base),
    messages: stored.map(([body, digest]) => ({ body, digest })),
  };
}
