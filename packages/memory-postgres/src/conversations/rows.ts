import type { MemoryStats } from "@jaf/memory";
import type { StoredConversation, StoredSelection, Tombstones } from "@jaf/memory/adapter";
import { gt, isNull, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { SqlRow } from "../client/statement.ts";
import { jsonTextOf, LAST_DATE_MS, millisecondsOf, statementTime } from "../client/statements.ts";
import { ConversationTooLarge } from "../errors.ts";
import { createConversationTables } from "../migrations/conversations.ts";
import { qualifiedName, quoteLiteral, type ResolvedNames } from "../table-names.ts";
import { fromMetadataTexts } from "./metadata.ts";

/**
 * Returns the table of conversations: the `table` itself, its `columns`, its `source` for `FROM`, and the conditions `live` (not expired)
 * and `isRoot` (not a child).
 */
export function conversationsOf(names: ResolvedNames) {
  const table = createConversationTables(names).conversations;
  const columns = alias(table, "conversation");
  const { expiresAt, parentId } = columns;
  const live = or(isNull(expiresAt), gt(expiresAt, statementTime));
  return { table, columns, source: sql`${table} AS conversation`, live, isRoot: isNull(parentId) };
}

type DigestColumns = Readonly<Record<"historyDigest" | "digestBase" | "totalMessages", SQLWrapper>>;

/**
 * Returns SQL for the digest of a conversation in hex. If the last message has no digest, the SQL returns "-". If the
 * conversation's digest is its incarnation, the SQL returns "".
 */
export const digestTextOf = ({ historyDigest, digestBase, totalMessages }: DigestColumns): SQL =>
  // If no message is stored, the digest is that of the last message that was removed. Without such a message, it is the
  // incarnation.
  sql`coalesce(encode(${historyDigest}, 'hex'),
    CASE WHEN ${totalMessages} > 0 THEN '-' ELSE coalesce(encode(${digestBase}, 'hex'), '') END)`;

interface MetadataColumns {
  readonly jsonb: SQL;
  readonly exact: SQL;
}

/** Returns the parts that all statements which read conversations have. */
export function conversationQueryParts(names: ResolvedNames, maxReadBytes: number) {
  const tables = createConversationTables(names);
  const conversation = conversationsOf(names);
  const { columns, live } = conversation;
  const readable = sql.raw(String(maxReadBytes));

  // The numbers share one column, because a further column costs the server and the driver more than a further number.
  const columnsWith = ({ jsonb, exact }: MetadataColumns): SQL => sql`
    CASE WHEN ${columns.parentId} IS NULL THEN ${jsonTextOf(columns.userId)}
      ELSE json_build_array(${columns.userId}, ${columns.parentId})::text END AS belongs_to,
    ${jsonb} AS metadata,
    ${exact} AS exact_metadata,
    concat_ws(' ', ${millisecondsOf(columns.createdAt)}, ${millisecondsOf(columns.lastActivity)}, ${columns.version},
      ${columns.metadataVersion}, ${columns.lastSeq}, ${columns.totalMessages},
      ${digestTextOf(columns)}, ${columns.incarnation}) AS head`;

  const metadata: MetadataColumns = {
    jsonb: sql`(${columns.metadata} || ${columns.runMetadata})::text`,
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
    // The bodies of messages contain no line break, so line breaks join them. One text is much cheaper to transfer than
    // many rows. The server computes the aggregate only once, although it occurs twice.
    joined: (bodies: SQL): SQL => orTooLarge(sql`octet_length(${bodies}) > ${readable}`, bodies),
    ofOne: sql`${columns.conversationId} = ${sql.placeholder("conversationId")} AND ${live}`,
    /** An SQL condition: the conversation belongs to the user in the placeholder `owner`. */
    ofOwner: sql`${columns.userId} = ${sql.placeholder("owner")}`,
    functionName: (suffix: string): string => qualifiedName(names, suffix),
  };
}

export type ConversationQueryParts = ReturnType<typeof conversationQueryParts>;

/** The text of the column `bodies` if the bodies are too large to be read. */
// No bodies equal this text, because bodies never contain a line break.
const TOO_LARGE = "\r";

const text = (row: SqlRow, column: string): string => {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new TypeError(`column ${column} is missing`);
};

const number = (row: SqlRow, column: string): number => Number(text(row, column));

/**
 * Converts milliseconds since 1970 into a date. Returns the nearest date for a time outside of the range of JavaScript
 * dates.
 */
const toDate = (milliseconds: unknown): Date =>
  new Date(Math.min(Math.max(Number(milliseconds), -LAST_DATE_MS), LAST_DATE_MS));

const date = (row: SqlRow, column: string): Date => toDate(text(row, column));

/**
 * Returns the joined bodies of a row, or `undefined` if there are none. Throws a {@link ConversationTooLarge} if they
 * are too large.
 */
export function bodiesIn({ bodies }: SqlRow): string | undefined {
  if (bodies === TOO_LARGE) throw new ConversationTooLarge("the conversation is too large");
  return bodies ?? undefined;
}

const bodiesOf = (row: SqlRow): string[] => bodiesIn(row)?.split("\n") ?? [];

/**
 * Converts the text of {@link digestTextOf} into an object with `historyDigest`. The object is empty if there is no
 * digest.
 */
export const digestIn = (digestText: string | undefined, incarnation: string) =>
  digestText === undefined || digestText === "-"
    ? {}
    : { historyDigest: digestText === "" ? incarnation : digestText };

/**
 * Returns the fields of a conversation that name its owner and its parent. `belongsTo`: the JSON text of the owner's id;
 * of a child, the JSON text of an array with the ids of the owner, or null, and of the parent.
 */
function toOwner(belongsTo: string | null | undefined): Pick<StoredConversation, "userId" | "childOf"> {
  if (belongsTo == null) return {};
  const parsed = JSON.parse(belongsTo) as string | readonly [string | null, string];
  if (typeof parsed === "string") return { userId: parsed };
  const [userId, childOf] = parsed;
  return { ...(userId === null ? {} : { userId }), childOf };
}

function toStored(row: SqlRow, conversationId: string, messages: readonly string[]): StoredConversation {
  const head = text(row, "head").split(" ");
  // The incarnation is last in the text because it may contain spaces.
  const incarnation = head.length === 8 ? (head[7] as string) : head.slice(7).join(" ");
  return {
    conversationId,
    ...toOwner(row["belongs_to"]),
    messages,
    metadata: fromMetadataTexts(text(row, "metadata"), row["exact_metadata"]),
    createdAt: toDate(head[0]),
    lastActivity: toDate(head[1]),
    totalMessages: Number(head[5]),
    version: Number(head[2]),
    metadataVersion: Number(head[3]),
    nextPosition: Number(head[4]),
    ...digestIn(head[6], incarnation),
    incarnation,
  };
}

export const toStoredConversation = (row: SqlRow): StoredConversation =>
  toStored(row, JSON.parse(text(row, "id")) as string, bodiesOf(row));

/** Converts the rows of a read into a conversation. Returns `undefined` if the conversation doesn't exist. */
// There is one row, except for the selection "all", which has a row for each part of the conversation.
export function toSelected(
  conversationId: string,
  kind: StoredSelection["kind"],
  rows: readonly SqlRow[],
): StoredConversation | undefined {
  const first = rows[0];
  if (first === undefined) return undefined;
  if (rows.length > 1) {
    // The server doesn't guarantee the order of rows.
    const ordered = [...rows].sort((a, b) => number(a, "nth") - number(b, "nth"));
    return toStored(ordered[0] ?? first, conversationId, ordered.flatMap(bodiesOf));
  }
  const bodies = bodiesOf(first);
  return toStored(first, conversationId, kind === "last" ? bodies.reverse() : bodies);
}

/**
 * Returns the position of the first selected message, or the next new message's position if no message was selected.
 */
export function firstPositionOf(
  { messages, nextPosition }: StoredConversation,
  row: SqlRow | undefined,
): number {
  if (messages.length === 0) return nextPosition;
  const first = row?.["first_position"];
  return first == null ? nextPosition - messages.length : Number(first);
}

/** Returns an object with the time of the read. The object is empty if the request didn't ask for the time. */
export const toTime = ({ read_at: readAt }: SqlRow) => (readAt == null ? {} : { readAt: toDate(readAt) });

/** Returns those optional parts of a read's outcome that the request asked for. */
export function toExtras(row: SqlRow, conversation: StoredConversation) {
  const { receipt, traces, ttl_seconds: ttlSeconds, message_ids: messageIds } = row;
  const extras = {
    ...(receipt == null ? {} : { receipt: { nextPosition: Number(receipt) } }),
    ...toTime(row),
  };
  if (traces === undefined) return extras;
  return {
    ...extras,
    forExport: {
      traceIds: JSON.parse(traces ?? "[]") as string[],
      ...(ttlSeconds == null ? {} : { ttlSeconds: Number(ttlSeconds) }),
      messageIds: toMessageIds(messageIds, conversation),
    },
  };
}

/**
 * Returns the own id of each message (given by its writer), or `null`. `idsBySeq`: a JSON object that maps sequence
 * numbers to ids.
 */
function toMessageIds(
  idsBySeq: string | null | undefined,
  { messages, nextPosition }: StoredConversation,
): readonly (string | null)[] {
  const ids = new Map(Object.entries(JSON.parse(idsBySeq ?? "{}") as Record<string, string>));
  const firstSeq = nextPosition - messages.length + 1;
  return messages.map((_, index) => ids.get(String(firstSeq + index)) ?? null);
}

export const toTombstones = (row: SqlRow): Tombstones => ({
  conversation: row["conversation_tombstone"] ?? null,
  user: row["user_tombstone"] ?? null,
});

export function toStats(row: SqlRow): MemoryStats {
  return {
    totalConversations: number(row, "conversations"),
    totalMessages: number(row, "messages"),
    ...(row["oldest"] == null ? {} : { oldestConversation: date(row, "oldest") }),
    ...(row["newest"] == null ? {} : { newestConversation: date(row, "newest") }),
  };
}
