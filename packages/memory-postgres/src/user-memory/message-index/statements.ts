import { type SQL, sql } from "drizzle-orm";
import { jsonTextOf, reusable } from "../../client/statements.ts";
import { conversationsOf } from "../../conversations/rows.ts";
import { createConversationTables } from "../../migrations/conversations.ts";
import { createMessageIndexTables } from "../../migrations/message-index.ts";
import type { ResolvedNames } from "../../table-names.ts";

/** The number of passages in the random sample that estimates how rare words are. */
const SAMPLE = 2_000;

const text = (name: string): SQL => sql`${sql.placeholder(name)}::text`;
const number = (name: string): SQL => sql`${sql.placeholder(name)}::bigint`;
const keys = (name: string): SQL => sql`${sql.placeholder(name)}::text[]::integer[]`;

/** Returns the statements of a message index. */
export function createMessageIndexStatements(names: ResolvedNames) {
  const { indexed, passages } = createMessageIndexTables(names);
  const { messages } = createConversationTables(names);
  const { columns, source, live, isRoot } = conversationsOf(names);
  const { conversationId, incarnation, version, lastSeq, totalMessages, lastActivity, userId } = columns;

  // Whether the messages that are indexed are still the first ones of the conversation.
  const isContinued = sql`head.incarnation = ${incarnation} AND (head.version = ${version} OR head.digest = (
    SELECT ${messages.digest} FROM ${messages}
    WHERE ${messages.conversationId} = ${conversationId} AND ${messages.seq} = head.last_seq))`;
  const ofUser = sql`${userId} = ${text("userId")} AND ${isRoot} AND ${live}`;

  const changed = reusable<"userId" | "limit">(sql`
    SELECT ${jsonTextOf(conversationId)} AS conversation_id,
      (CASE WHEN ${isContinued} THEN head.last_seq ELSE 0 END)::text AS indexed_to
    FROM ${source} LEFT JOIN ${indexed} AS head ON head.conversation_id = ${conversationId}
    WHERE ${ofUser} AND (head.id IS NULL OR head.version <> ${version} OR head.last_seq <> ${lastSeq}
      OR head.incarnation <> ${incarnation})
    ORDER BY ${lastActivity} DESC, ${conversationId} DESC LIMIT ${number("limit")}`);

  const startOver = reusable<"conversationId" | "userId" | "incarnation">(sql`
    DELETE FROM ${indexed} AS head USING ${source}
    WHERE head.conversation_id = ${text("conversationId")} AND ${conversationId} = head.conversation_id
      AND ${userId} = ${text("userId")} AND ${incarnation} = ${text("incarnation")} AND (${isContinued}) IS NOT TRUE`);

  const digestAt = sql`(SELECT ${messages.digest} FROM ${messages} WHERE ${messages.conversationId} =
    ${text("conversationId")} AND ${messages.seq} = ${number("nextPosition")})`;
  // The conversation is locked against its deletion only, so appends don't wait.
  const write = reusable<
    | "conversationId"
    | "userId"
    | "userKey"
    | "incarnation"
    | "version"
    | "indexedTo"
    | "nextPosition"
    | "passages"
  >(sql`
    WITH source AS (
      SELECT ${version} AS version, ${lastSeq} - ${totalMessages} AS trimmed
      FROM ${source}
      WHERE ${conversationId} = ${text("conversationId")} AND ${userId} = ${text("userId")}
        AND ${incarnation} = ${text("incarnation")} AND ${version} = ${number("version")}
      FOR KEY SHARE
    ), given AS (
      SELECT * FROM json_to_recordset(${text("passages")}::json)
        AS given (n bigint, p bigint, a boolean, l integer, t integer[])
    ), made AS (
      INSERT INTO ${indexed} (conversation_id, incarnation, version, last_seq, digest, next_number, passages)
      SELECT ${text("conversationId")}, ${text("incarnation")}, source.version, ${number("nextPosition")}, ${digestAt},
        (SELECT count(*) FROM given), (SELECT count(*) FROM given)
      FROM source WHERE ${number("indexedTo")} = 0
      ON CONFLICT (conversation_id) DO NOTHING
      RETURNING id, 0::bigint AS next_number
    ), known AS (
      SELECT head.id, head.next_number
      FROM ${indexed} AS head JOIN ${source} ON ${conversationId} = head.conversation_id, source
      WHERE head.conversation_id = ${text("conversationId")} AND head.last_seq = ${number("indexedTo")}
        AND ${version} = source.version AND ${isContinued}
      FOR UPDATE OF head
    ), gone AS (
      DELETE FROM ${passages} AS passage USING known, source
      WHERE passage.indexed_id = known.id AND passage.position < source.trimmed
      RETURNING 1
    ), moved AS (
      UPDATE ${indexed} AS head SET version = source.version, last_seq = ${number("nextPosition")},
        digest = ${digestAt}, next_number = head.next_number + (SELECT count(*) FROM given),
        passages = head.passages + (SELECT count(*) FROM given) - (SELECT count(*) FROM gone)
      FROM known, source WHERE head.id = known.id
      RETURNING head.id, known.next_number
    ), target AS (SELECT * FROM made UNION ALL SELECT * FROM moved), put AS (
      INSERT INTO ${passages} (indexed_id, user_key, position, number, length, is_assistant, terms)
      SELECT target.id, ${number("userKey")}, given.p, target.next_number + given.n, given.l, given.a, given.t
      FROM target, given
    )
    SELECT id::text AS id FROM target`);

  // The numbers of a conversation's passages begin after those of all conversations that were active before it. They
  // are looked up in one object: the planner expects few passages, and would join them with a list of conversations row
  // by row.
  const own = sql`own AS MATERIALIZED (
    SELECT jsonb_object_agg(each.id, each.start) AS starts FROM (
      SELECT head.id,
        sum(head.passages) OVER (ORDER BY ${lastActivity}, ${conversationId}) - head.next_number + 1 AS start
      FROM ${source} JOIN ${indexed} AS head ON head.conversation_id = ${conversationId}
      WHERE ${ofUser} AND head.incarnation = ${incarnation}
    ) AS each
  )`;
  const start = sql`(own.starts ->> passage.indexed_id::text)::bigint`;
  const found = sql`${jsonTextOf(sql`head.conversation_id`)} AS conversation_id,
    concat_ws(' ', ${start} + passage.number, passage.position, passage.is_assistant::integer, passage.length) AS numbers,
    array_to_string(passage.terms, ' ') AS terms`;
  const isOwn = sql`passage.user_key = ${number("userKey")} AND ${start} IS NOT NULL`;
  const latest = sql`ORDER BY ${start} + passage.number DESC LIMIT ${number("limit")}`;
  const isUsers = sql`each.user_key = ${number("userKey")}`;
  // OFFSET 0 keeps the planner from reading all passages of the user: it knows nothing about how rare terms are. The
  // condition is repeated to make it expect few rows. Otherwise it would compile the query, which takes longer than
  // running it.
  const any = sql`each.terms && ${keys("any")} AND each.terms && ${keys("any")}`;
  // The limit comes before the texts are made, because a common word is in very many passages.
  const find = (conditions: SQL) => sql`
    WITH ${own}
    SELECT ${found} FROM (
      SELECT passage.*, ${start} + passage.number AS place
      FROM (SELECT * FROM ${passages} AS each WHERE ${conditions} OFFSET 0) AS passage CROSS JOIN own
      WHERE passage.user_key = ${number("userKey")} ORDER BY place DESC NULLS LAST LIMIT ${number("limit")}
    ) AS passage
    JOIN ${indexed} AS head ON head.id = passage.indexed_id CROSS JOIN own WHERE place IS NOT NULL`;

  return {
    changed,
    startOver,
    write,

    count: reusable<"userId" | "userKey" | "words" | "keys">(sql`
      WITH sample AS (
        SELECT row_number() OVER () AS row, drawn.terms FROM (
          SELECT each.terms FROM ${passages} AS each WHERE ${isUsers} ORDER BY each.user_key, each.lot LIMIT ${sql.raw(String(SAMPLE))}
        ) AS drawn
      ), asked AS (
        SELECT * FROM unnest(${keys("words")}, ${keys("keys")}) AS asked (word, key)
      )
      SELECT
        (SELECT coalesce(sum(head.passages), 0) FROM ${source} JOIN ${indexed} AS head
          ON head.conversation_id = ${conversationId} WHERE ${ofUser} AND head.incarnation = ${incarnation})::text AS size,
        (SELECT count(*) FROM sample)::text AS sampled,
        (SELECT json_object_agg(held.word, held.holders) FROM (
          SELECT asked.word, count(DISTINCT sample.row) AS holders
          FROM sample CROSS JOIN LATERAL unnest(sample.terms) AS term (key) JOIN asked ON asked.key = term.key
          GROUP BY asked.word
        ) AS held)::text AS holders`),

    find: reusable<"userId" | "userKey" | "any" | "limit">(find(any)),
    findBoth: reusable<"userId" | "userKey" | "any" | "also" | "limit">(
      find(sql`${any} AND each.terms && ${keys("also")}`),
    ),
    findIn: reusable<"userId" | "userKey" | "any" | "limit" | "conversationId">(sql`
      WITH ${own}
      SELECT ${found} FROM ${indexed} AS head CROSS JOIN LATERAL (
        SELECT * FROM ${passages} AS each WHERE each.indexed_id = head.id OFFSET 0
      ) AS passage CROSS JOIN own
      WHERE head.conversation_id = ${text("conversationId")} AND passage.terms && ${keys("any")} AND ${isOwn} ${latest}`),

    at: reusable<"userId" | "userKey" | "any" | "places">(sql`
      WITH ${own}
      SELECT ${found}
      FROM json_to_recordset(${text("places")}::json) AS place (c text, p bigint[])
      CROSS JOIN LATERAL unnest(place.p) AS wanted (position)
      CROSS JOIN LATERAL (
        SELECT * FROM ${indexed} AS each WHERE each.conversation_id = place.c OFFSET 0
      ) AS head
      CROSS JOIN LATERAL (
        SELECT * FROM ${passages} AS each
        WHERE each.indexed_id = head.id AND each.position = wanted.position OFFSET 0
      ) AS passage
      CROSS JOIN own WHERE passage.terms && ${keys("any")} AND ${isOwn}`),
  };
}
