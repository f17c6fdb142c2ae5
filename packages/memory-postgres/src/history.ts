import type { HistoryRequest, StoredHistory } from "@jaf/memory/adapter";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { SqlRow, Statement } from "./client/port.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { bodiesIn, digestIn } from "./decoding.ts";
import { reusable, shownDigestOf } from "./statements.ts";

/** Messages with their digests, as JSON: what was written by hand may hold anything, also line breaks. */
export function createHistoryQuery({
  tables,
  conversation,
  ofOne,
  joined,
}: ConversationParts): (request: HistoryRequest) => Statement {
  const { messages } = tables;
  const { columns, source } = conversation;
  const { conversationId, lastSeq, totalMessages, digestBase, incarnation } = columns;
  // Positions begin with 0 and sequence numbers with 1.
  const first = sql`greatest(${lastSeq} - ${totalMessages}, ${sql.placeholder("from")}::bigint)`;
  const stored = sql`json_agg(json_build_array(stored.body, encode(stored.digest, 'hex')) ORDER BY stored.seq)::text`;
  const query = reusable<"conversationId" | "from" | "limit">(sql`
    SELECT concat_ws(' ', ${lastSeq}, ${totalMessages}, ${shownDigestOf(columns)}) AS counts,
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

/** `null`: there is no such conversation. */
export function toHistory(row: SqlRow | undefined): StoredHistory | null {
  if (row === undefined) return null;
  const [lastSeq, total, shown] = row["counts"]?.split(" ") ?? [];
  const base = row["base"] ?? "";
  const stored = storedSchema.parse(JSON.parse(bodiesIn(row) ?? "[]"));
  const nextPosition = Number(lastSeq);
  return {
    firstPosition: nextPosition - Number(total),
    nextPosition,
    base,
    ...digestIn(shown, base),
    messages: stored.map(([body, digest]) => ({ body, digest })),
  };
}
