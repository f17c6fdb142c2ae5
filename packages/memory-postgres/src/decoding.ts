import type { MemoryStats } from "@jaf/memory";
import type { StoredConversation, StoredSelection, Tombstones } from "@jaf/memory/adapter";
import type { SqlRow } from "./client/port.ts";
import { fromMetadataTexts } from "./metadata.ts";

/** In place of the bodies, of which none has a line break. */
export const TOO_LARGE = "\r";

/** It would not fit the longest string that JavaScript has; the driver would end the process over it. */
export class ConversationTooLarge extends Error {
  override readonly name = "ConversationTooLarge";
}

const text = (row: SqlRow, column: string): string => {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new TypeError(`column ${column} is missing`);
};

const number = (row: SqlRow, column: string): number => Number(text(row, column));

/** The last date that JavaScript has, and, negative, the first. */
export const LAST_DATE_MS = 8.64e15;

/** Of a time that was written by hand, and may be infinity, or in a year that only Postgres has, the date next to it. */
const toDate = (milliseconds: unknown): Date =>
  new Date(Math.min(Math.max(Number(milliseconds), -LAST_DATE_MS), LAST_DATE_MS));

const date = (row: SqlRow, column: string): Date => toDate(text(row, column));

/** Throws {@link ConversationTooLarge}. */
export function bodiesIn({ bodies }: SqlRow): string | undefined {
  if (bodies === TOO_LARGE) throw new ConversationTooLarge("the conversation is too large");
  return bodies ?? undefined;
}

const bodiesOf = (row: SqlRow): string[] => bodiesIn(row)?.split("\n") ?? [];

/** See `shownDigestOf`. */
export const digestIn = (shown: string | undefined, incarnation: string) =>
  shown === undefined || shown === "-" ? {} : { historyDigest: shown === "" ? incarnation : shown };

function toStored(row: SqlRow, conversationId: string, messages: readonly string[]): StoredConversation {
  const userId = row["user_id"];
  const head = text(row, "head").split(" ");
  // It may hold spaces.
  const incarnation = head.length === 8 ? (head[7] as string) : head.slice(7).join(" ");
  return {
    conversationId,
    ...(userId == null ? {} : { userId: JSON.parse(userId) as string }),
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

/** The rows of a selection, of which there is one, but for `"all"`; `undefined` if there is no conversation. */
export function toSelected(
  conversationId: string,
  kind: StoredSelection["kind"],
  rows: readonly SqlRow[],
): StoredConversation | undefined {
  const first = rows[0];
  if (first === undefined) return undefined;
  if (rows.length > 1) {
    // The order in which rows come is not the server's promise.
    const ordered = [...rows].sort((a, b) => number(a, "nth") - number(b, "nth"));
    return toStored(ordered[0] ?? first, conversationId, ordered.flatMap(bodiesOf));
  }
  const bodies = bodiesOf(first);
  return toStored(first, conversationId, kind === "last" ? bodies.reverse() : bodies);
}

/** The position of the first of the selected messages, which follow each other. */
export function firstPositionOf(
  { messages, nextPosition }: StoredConversation,
  row: SqlRow | undefined,
): number {
  if (messages.length === 0) return nextPosition;
  const first = row?.["first_position"];
  return first == null ? nextPosition - messages.length : Number(first);
}

/** When it was read, if that was asked for. */
export const toTime = ({ read_at: readAt }: SqlRow) => (readAt == null ? {} : { readAt: toDate(readAt) });

/** What a read gives beside the conversation. */
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

/** Of all messages, from an object of sequence numbers to ids. */
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
