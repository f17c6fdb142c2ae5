import { type EncodedMessage, messageHash, nextDigest } from "@jaf/memory/adapter";
import type { SqliteClient } from "../client/client.ts";

/** What a write has made of a conversation's messages so far. */
export interface MessageList {
  readonly nextPosition: number;
  readonly totalMessages: number;
  /** The digest before the first stored message. */
  readonly base: string;
  /** The digest of the last message, or `base` if there is none. */
  readonly digest: string;
}

const DROP = "DELETE FROM messages WHERE conversation = ? AND position >= ?";
const DIGEST = "SELECT digest FROM messages WHERE conversation = ? AND position = ?";

const digestAt = (client: SqliteClient, conversation: number, position: number): string | undefined => {
  const row = client.first(DIGEST, conversation, position);
  return row === undefined ? undefined : String(row["digest"]);
};

/** Drops messages from the end. Their positions are used again. */
export function dropLast(
  client: SqliteClient,
  conversation: number,
  list: MessageList,
  count: number,
): MessageList {
  const nextPosition = list.nextPosition - count;
  client.run(DROP, conversation, nextPosition);
  const digest = digestAt(client, conversation, nextPosition - 1) ?? list.base;
  return { ...list, nextPosition, totalMessages: list.totalMessages - count, digest };
}

/** Drops all messages. Their positions are not used again. */
export function dropAll(client: SqliteClient, conversation: number, list: MessageList): MessageList {
  client.run(DROP, conversation, 0);
  return { ...list, totalMessages: 0, base: list.digest };
}

const OWN = "SELECT 1 FROM messages WHERE conversation = ? AND message_id = ?";
const ADD = `
INSERT INTO messages (conversation, position, body, is_tool_result, digest, message_id, message_hash)
VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** Adds the messages, except for those that are stored under their own id already. */
export function addMessages(
  client: SqliteClient,
  conversation: number,
  list: MessageList,
  messages: readonly EncodedMessage[],
): MessageList {
  let { nextPosition, digest } = list;
  for (const { body, isToolResult, own } of messages) {
    if (own !== undefined && client.first(OWN, conversation, own.id) !== undefined) continue;
    digest = nextDigest("sha256", digest, messageHash(body));
    const ofOwn = [own?.id ?? null, own?.hash ?? null] as const;
    client.run(ADD, conversation, nextPosition, body, isToolResult ? 1 : 0, digest, ...ofOwn);
    nextPosition += 1;
  }
  return {
    ...list,
    nextPosition,
    totalMessages: list.totalMessages + nextPosition - list.nextPosition,
    digest,
  };
}

const NEXT_START = `
SELECT position FROM messages WHERE conversation = ? AND position >= ? AND is_tool_result = 0
ORDER BY position LIMIT 1`;
const LAST_START = `
SELECT position FROM messages WHERE conversation = ? AND position < ? AND is_tool_result = 0
ORDER BY position DESC LIMIT 1`;
const TRIM = "DELETE FROM messages WHERE conversation = ? AND position < ?";

/** Removes the oldest messages, so that at most `maxMessages` stay and no result loses its tool call. */
export function trim(
  client: SqliteClient,
  conversation: number,
  list: MessageList,
  maxMessages: number,
): MessageList {
  const cut = list.nextPosition - maxMessages;
  const first = list.nextPosition - list.totalMessages;
  if (cut <= first) return list;
  // If only results would be left, the last call and all its results stay.
  const found = client.first(NEXT_START, conversation, cut) ?? client.first(LAST_START, conversation, cut);
  const start = found === undefined ? cut : Number(found["position"]);
  const base = digestAt(client, conversation, start - 1) ?? list.base;
  client.run(TRIM, conversation, start);
  return { ...list, totalMessages: list.nextPosition - start, base };
}
