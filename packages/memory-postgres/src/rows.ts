import type {
  ConversationWrite,
  JsonObject,
  MemoryStats,
  StoredConversation,
  WriteOutcome,
} from "@jaf/memory";
import type { SqlRow, SqlValue } from "./sql-client.ts";

/** In place of the bodies, of which none is empty. */
export const TOO_LARGE = "";

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
const date = (row: SqlRow, column: string): Date =>
  new Date(Math.min(Math.max(number(row, column), -LAST_DATE_MS), LAST_DATE_MS));

function bodiesOf(row: SqlRow): readonly string[] {
  const bodies = row["bodies"];
  if (bodies === TOO_LARGE) throw new ConversationTooLarge("the conversation is too large");
  return bodies == null ? [] : bodies.split("\n");
}

function toStored(row: SqlRow, conversationId: string, messages: readonly string[]): StoredConversation {
  const userId = row["user_id"];
  return {
    conversationId,
    ...(userId == null ? {} : { userId: JSON.parse(userId) as string }),
    messages,
    metadata: JSON.parse(text(row, "metadata")) as JsonObject,
    createdAt: date(row, "created_at"),
    lastActivity: date(row, "last_activity"),
    totalMessages: number(row, "total_messages"),
    version: number(row, "version"),
  };
}

export const toStoredConversation = (row: SqlRow): StoredConversation =>
  toStored(row, JSON.parse(text(row, "id")) as string, bodiesOf(row));

/** Of a row whose bodies come newest first. */
export function fromLast(conversationId: string, [row]: readonly SqlRow[]): StoredConversation | null {
  return row === undefined ? null : toStored(row, conversationId, [...bodiesOf(row)].reverse());
}

/** Of as many rows as the conversation was read in; the order in which they come is not the server's promise. */
export function fromParts(conversationId: string, rows: readonly SqlRow[]): StoredConversation | null {
  const ordered = [...rows].sort((a, b) => number(a, "nth") - number(b, "nth"));
  const [first] = ordered;
  return first === undefined ? null : toStored(first, conversationId, ordered.flatMap(bodiesOf));
}

export function toStats(row: SqlRow): MemoryStats {
  return {
    totalConversations: number(row, "conversations"),
    totalMessages: number(row, "messages"),
    ...(row["oldest"] == null ? {} : { oldestConversation: date(row, "oldest") }),
    ...(row["newest"] == null ? {} : { newestConversation: date(row, "newest") }),
  };
}

export function toWriteOutcome(row: SqlRow): WriteOutcome {
  const [status, actualVersion] = text(row, "outcome").split(" ");
  switch (status) {
    case "written":
    case "replayed":
      return { status };
    case "version":
      return { status: "conflict", reason: status, actualVersion: Number(actualVersion) };
    case "owner":
    case "idempotency-key":
      return { status: "conflict", reason: status };
    default:
      throw new TypeError("unknown outcome of a write");
  }
}

/** The arguments of the write function, in its order. */
export const writeArguments = (write: ConversationWrite): readonly SqlValue[] => [
  write.conversationId,
  write.mode === "replace",
  write.messages.map(({ body }) => body),
  write.messages.map(({ isToolResult }) => isToolResult),
  write.userId ?? null,
  write.traceId ?? null,
  JSON.stringify(write.metadata),
  write.expectedVersion ?? null,
  write.idempotency?.key ?? null,
  write.idempotency?.bodyHash ?? null,
  write.maxMessages ?? null,
  write.ttlSeconds ?? null,
];
