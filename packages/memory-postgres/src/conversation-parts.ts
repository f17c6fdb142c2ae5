import { type SQL, sql } from "drizzle-orm";
import { TOO_LARGE } from "./decoding.ts";
import { qualifiedName, quoteLiteral, type ResolvedNames } from "./schema/names.ts";
import { createTables } from "./schema/tables.ts";
import { conversationsOf, jsonTextOf, millisecondsOf, shownDigestOf } from "./statements.ts";

interface MetadataColumns {
  readonly shown: SQL;
  readonly exact: SQL;
}

/** What the statements that read conversations are made of. */
export function conversationParts(names: ResolvedNames, maxReadBytes: number) {
  const tables = createTables(names);
  const conversation = conversationsOf(names);
  const { columns, live } = conversation;
  const readable = sql.raw(String(maxReadBytes));

  // Numbers in one column: each column costs the server and the driver more than the number does.
  const columnsWith = ({ shown, exact }: MetadataColumns): SQL => sql`
    ${jsonTextOf(columns.userId)} AS user_id,
    ${shown} AS metadata,
    ${exact} AS exact_metadata,
    concat_ws(' ', ${millisecondsOf(columns.createdAt)}, ${millisecondsOf(columns.lastActivity)}, ${columns.version},
      ${columns.metadataVersion}, ${columns.lastSeq}, ${columns.totalMessages},
      ${shownDigestOf(columns)}, ${columns.incarnation}) AS head`;

  const metadata: MetadataColumns = {
    shown: sql`(${columns.metadata} || ${columns.runMetadata})::text`,
    exact: sql`${columns.exactMetadata}::text`,
  };

  const orTooLarge = (isTooLarge: SQL, bodies: SQL): SQL =>
    sql`CASE WHEN ${isTooLarge} THEN ${sql.raw(quoteLiteral(TOO_LARGE))} ELSE ${bodies} END`;

  return {
    tables,
    conversation,
    readable,
    columnsWith,
    metadata,
    columns: columnsWith(metadata),
    orTooLarge,
    // Bodies hold no line break, so that one joins them; one text is far cheaper to carry than a row each. The same
    // aggregate twice is computed once.
    joined: (text: SQL): SQL => orTooLarge(sql`octet_length(${text}) > ${readable}`, text),
    ofOne: sql`${columns.conversationId} = ${sql.placeholder("conversationId")} AND ${live}`,
    functionName: (suffix: string): string => qualifiedName(names, suffix),
  };
}

export type ConversationParts = ReturnType<typeof conversationParts>;
