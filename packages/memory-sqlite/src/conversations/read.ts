import {
  type HistoryRequest,
  present,
  type ReadOutcome,
  type ReadRequest,
  type StoredHistory,
  selectedBounds,
} from "@jaf/memory/adapter";
import type { SqliteClient } from "../client/client.ts";
import {
  bodiesOf,
  type ConversationRow,
  firstPositionOf,
  liveRowOf,
  textsIn,
  toStoredConversation,
} from "./rows.ts";
import { tombstonesOf } from "./tombstones.ts";

/** Reads a conversation in the transaction of `client`. */
export function readConversation(client: SqliteClient, request: ReadRequest): ReadOutcome {
  const { conversationId, owner, tombstones } = request;
  // The file is on this machine, so all processes that use it have the same clock.
  const now = Date.now();
  const time = request.asksTime === true ? { readAt: new Date(now) } : {};
  const row = liveRowOf(client, conversationId, now);
  if (row !== undefined && (owner === undefined || row.user_id === owner)) {
    return { ...selectFrom(client, row, request), ...time };
  }
  if (tombstones === undefined) return { conversation: null, ...time };
  const found = tombstonesOf(client, { conversationId, ...tombstones }, now);
  return { conversation: null, tombstones: found, ...time };
}

const POSITION = "SELECT position FROM messages WHERE conversation = ? AND message_id = ?";

function positionOf(client: SqliteClient, { id }: ConversationRow, messageId: string): number | undefined {
  const row = client.first(POSITION, id, messageId);
  return row === undefined ? undefined : Number(row["position"]);
}

function selectFrom(client: SqliteClient, row: ConversationRow, request: ReadRequest): ReadOutcome {
  const first = firstPositionOf(row);
  const [from, end] = selectedBounds(request.messages, {
    totalMessages: row.total_messages,
    nextPosition: row.next_position,
    positionOf: (messageId) => positionOf(client, row, messageId),
  });
  const receipt = request.receiptFor === undefined ? undefined : receiptOf(client, row, request.receiptFor);
  return {
    conversation: toStoredConversation(row, bodiesOf(client, row, [first + from, first + end])),
    firstPosition: from === end ? row.next_position : first + from,
    ...present({ receipt }),
    ...(request.forExport === true ? { forExport: exportOf(client, row) } : {}),
  };
}

const RECEIPT = "SELECT next_position FROM idempotency_keys WHERE conversation = ? AND key = ?";

function receiptOf(client: SqliteClient, { id }: ConversationRow, key: string) {
  const row = client.first(RECEIPT, id, key);
  return row === undefined ? undefined : { nextPosition: Number(row["next_position"]) };
}

const TRACES = "SELECT trace_id FROM traces WHERE conversation = ?";
const OWN_IDS = "SELECT message_id FROM messages WHERE conversation = ? ORDER BY position";

function exportOf(client: SqliteClient, { id, ttl_seconds: ttlSeconds }: ConversationRow) {
  const ids = client.all(OWN_IDS, id).map(({ message_id }) => message_id);
  return {
    traceIds: textsIn(client.all(TRACES, id), "trace_id"),
    ...present({ ttlSeconds }),
    messageIds: ids.map((messageId) => (messageId === null ? null : String(messageId))),
  };
}

const HISTORY = `
SELECT body, digest FROM messages WHERE conversation = ? AND position >= ? ORDER BY position LIMIT ?`;

/** Reads messages with their digests in the transaction of `client`. */
export function readHistory(
  client: SqliteClient,
  { conversationId, from, limit }: HistoryRequest,
): StoredHistory | null {
  const row = liveRowOf(client, conversationId, Date.now());
  if (row === undefined) return null;
  return {
    firstPosition: firstPositionOf(row),
    nextPosition: row.next_position,
    base: row.digest_base,
    historyDigest: row.history_digest,
    messages: client
      .all(HISTORY, row.id, from, limit)
      .map(({ body, digest }) => ({ body: String(body), digest: String(digest) })),
  };
}
