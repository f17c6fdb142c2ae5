import type { JsonObject, StoredConversation } from "@jaf/memory/adapter";
import { present } from "@jaf/memory/adapter";
import * as z from "zod";
import type { SqliteClient } from "../client/client.ts";
import type { SqliteRow } from "../client/driver.ts";

// SQLite returns null for an absent value.
const orAbsent = <T extends z.ZodType>(type: T) => type.nullable().transform((value) => value ?? undefined);

const rowSchema = z.object({
  id: z.number(),
  conversation_id: z.string(),
  user_id: orAbsent(z.string()),
  parent_id: orAbsent(z.string()),
  incarnation: z.string(),
  metadata: z.string(),
  created_at: z.number(),
  last_activity: z.number(),
  ttl_seconds: orAbsent(z.number()),
  expires_at: orAbsent(z.number()),
  version: z.number(),
  metadata_version: z.number(),
  next_position: z.number(),
  total_messages: z.number(),
  writes: z.number(),
  digest_base: z.string(),
  history_digest: z.string(),
});

/** A row of the table `conversations`. */
export type ConversationRow = Readonly<z.output<typeof rowSchema>>;

export const toConversationRow = (row: SqliteRow): ConversationRow => rowSchema.parse(row);

export const COLUMNS = Object.keys(rowSchema.shape)
  .map((column) => `conversations.${column}`)
  .join(", ");

const BY_ID = `SELECT ${COLUMNS} FROM conversations WHERE conversation_id = ?`;

/** Returns the row of this id, even if it has expired. */
export function rowOf(client: SqliteClient, conversationId: string): ConversationRow | undefined {
  const row = client.first(BY_ID, conversationId);
  return row === undefined ? undefined : toConversationRow(row);
}

/** Whether neither the conversation nor one of its ancestors has expired. */
export function isLive(
  client: SqliteClient,
  { expires_at, parent_id }: ConversationRow,
  now: number,
): boolean {
  if (expires_at !== undefined && expires_at <= now) return false;
  if (parent_id === undefined) return true;
  const parent = rowOf(client, parent_id);
  return parent !== undefined && isLive(client, parent, now);
}

/** Returns the row of this id, or `undefined` if there is none or it has expired. */
export function liveRowOf(
  client: SqliteClient,
  conversationId: string,
  now: number,
): ConversationRow | undefined {
  const row = rowOf(client, conversationId);
  return row !== undefined && isLive(client, row, now) ? row : undefined;
}

const metadataSchema = z.custom<JsonObject>((value) => typeof value === "object" && value !== null);

export const metadataOf = ({ metadata }: ConversationRow): JsonObject =>
  metadataSchema.parse(JSON.parse(metadata));

export const textsIn = (rows: readonly SqliteRow[], column: string): readonly string[] =>
  rows.map((row) => String(row[column]));

/** The position of the first stored message. */
export const firstPositionOf = ({ next_position, total_messages }: ConversationRow): number =>
  next_position - total_messages;

const BODIES = `
SELECT body FROM messages WHERE conversation = ? AND position >= ? AND position < ? ORDER BY position`;

/** Returns the messages from the position `from` to the one before `end`. */
export const bodiesOf = (
  client: SqliteClient,
  { id }: ConversationRow,
  [from, end]: readonly [from: number, end: number],
): readonly string[] => (from >= end ? [] : textsIn(client.all(BODIES, id, from, end), "body"));

export function toStoredConversation(row: ConversationRow, messages: readonly string[]): StoredConversation {
  return {
    conversationId: row.conversation_id,
    ...present({ userId: row.user_id, childOf: row.parent_id }),
    messages,
    metadata: metadataOf(row),
    createdAt: new Date(row.created_at),
    lastActivity: new Date(row.last_activity),
    totalMessages: row.total_messages,
    version: row.version,
    metadataVersion: row.metadata_version,
    nextPosition: row.next_position,
    incarnation: row.incarnation,
    historyDigest: row.history_digest,
  };
}
