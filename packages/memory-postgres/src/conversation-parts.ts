import { type SQL, sql } from "drizzle-orm";
import { TOO_LARGE } from "./decoding.ts";
import { qualifiedName, quoteLiteral, type ResolvedNames } from "./schema/names.ts";
import { createTables } from "./schema/tables.ts";
import { conversationsOf, jsonTextOf, millisecondsOf, shownDigestOf } from "./statements.ts";

/** What the statements that read conversations are made of. */
export function conversationParts(names: ResolvedNames, maxReadBytes: number) {
  const tables = createTables(names);
  const conversation = conversationsOf(names);
  const { columns, live } = conversation;
  // Numbers in one column: each column costs the server and the driver more than the number does.
  const shown = sql`
    ${jsonTextOf(columns.userId)} AS user_id,
    (${columns.metadata} || ${columns.runMetadata})::text AS metadata,
    ${columns.exactMetadata}::text AS exact_metadata,
    concat_ws(' ', ${millisecondsOf(columns.createdAt)}, ${millisecondsOf(columns.lastActivity)}, ${columns.version},
      ${columns.metadataVersion}, ${columns.lastSeq}, ${columns.totalMessages},
      ${shownDigestOf(columns)}, ${columns.incarnation}) AS head`;
  const tooLarge = sql.raw(quoteLiteral(TOO_LARGE));

  return {
    tables,
    conversation,
    columns: shown,
    // Bodies hold no line break, so that one joins them; one text is far cheaper to carry than a row each. The same
    // aggregate twice is computed once.
    joined: (text: SQL): SQL =>
      sql`CASE WHEN octet_length(${text}) > ${sql.raw(String(maxReadBytes))} THEN ${tooLarge} ELSE ${text} END`,
    ofOne: sql`${columns.conversationId} = ${sql.placeholder("conversationId")} AND ${live}`,
    functionName: (suffix: string): string => qualifiedName(names, suffix),
  };
}

export type ConversationParts = ReturnType<typeof conversationParts>;
