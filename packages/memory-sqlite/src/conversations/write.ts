import {
  type ConversationWrite,
  IDEMPOTENCY_WINDOW,
  type TurnBeginning,
  TurnConflict,
  type WriteOutcome,
} from "@jaf/memory/adapter";
import type { SqliteClient } from "../client/client.ts";
import { beginTurn } from "../turn-log/begin.ts";
import { decide, type WriteTarget } from "./decide.ts";
import { eraseConversation, sweepExpired } from "./erasure.ts";
import { addMessages, dropAll, dropLast, type MessageList, trim } from "./message-list.ts";
import { type ConversationRow, isLive, metadataOf, rowOf } from "./rows.ts";

/** Makes a write in the transaction of `client`. */
export function writeConversation(client: SqliteClient, write: ConversationWrite): WriteOutcome {
  const now = Date.now();
  sweepExpired(client, now);
  const target = { client, row: rowToChange(client, write.conversationId, now), now };
  const decided = decide(target, write);
  if (write.beginsTurn === undefined) return decided ?? apply(target, write);
  if (decided?.status === "replayed") return { status: "turn" };
  return decided ?? (begins(client, write.beginsTurn) ? apply(target, write) : { status: "turn" });
}

/** Begins the turn of a write. Returns `false` if it can't begin. */
function begins(client: SqliteClient, { turn, writer }: TurnBeginning): boolean {
  try {
    return beginTurn(client, turn, writer.token).begun;
  } catch (thrown) {
    if (thrown instanceof TurnConflict) return false;
    throw thrown;
  }
}

/** Returns the row of a conversation. Removes it if the conversation has expired. */
function rowToChange(client: SqliteClient, conversationId: string, now: number): ConversationRow | undefined {
  const row = rowOf(client, conversationId);
  if (row === undefined || isLive(client, row, now)) return row;
  eraseConversation(client, row);
  return undefined;
}

const CREATE = `
INSERT INTO conversations (conversation_id, parent_id, incarnation, metadata, created_at, last_activity, version,
  metadata_version, next_position, total_messages, writes, digest_base, history_digest)
VALUES (?, ?, ?, '{}', ?, 0, 0, 0, ?, 0, 0, ?, ?)`;

function create({ client, now }: WriteTarget, write: ConversationWrite): ConversationRow {
  const { conversationId, childOf, source } = write;
  const incarnation = write.create?.incarnation ?? "";
  const createdAt = source?.createdAt.getTime() ?? now;
  client.run(
    CREATE,
    conversationId,
    childOf?.conversationId ?? null,
    incarnation,
    createdAt,
    source?.firstPosition ?? 0,
    incarnation,
    incarnation,
  );
  const row = rowOf(client, conversationId);
  if (row === undefined) throw new Error("the new row is missing");
  return row;
}

function changeMessages(client: SqliteClient, row: ConversationRow, write: ConversationWrite): MessageList {
  const stored: MessageList = {
    nextPosition: row.next_position,
    totalMessages: row.total_messages,
    base: row.digest_base,
    digest: row.history_digest,
  };
  const kept =
    write.mode === "replace"
      ? dropAll(client, row.id, stored)
      : write.dropLast === undefined
        ? stored
        : dropLast(client, row.id, stored, write.dropLast);
  const added = addMessages(client, row.id, kept, write.messages);
  return write.maxMessages === undefined ? added : trim(client, row.id, added, write.maxMessages);
}

const UPDATE = `
UPDATE conversations SET user_id = ?, metadata = ?, last_activity = ?, ttl_seconds = ?, expires_at = ?, version = ?,
  metadata_version = ?, next_position = ?, total_messages = ?, writes = ?, digest_base = ?, history_digest = ?
WHERE id = ?`;

function apply(target: WriteTarget, write: ConversationWrite): WriteOutcome {
  const { client, now } = target;
  const row = target.row ?? create(target, write);
  const list = changeMessages(client, row, write);
  const isReplace = write.mode === "replace";
  const isChange = isReplace || row.version === 0 || isChanged(row, list, write);
  const version = write.source?.version ?? row.version + (isChange ? 1 : 0);
  const setsMetadata = isReplace || Object.keys(write.metadata).length > 0;
  const metadata = { ...(isReplace ? {} : metadataOf(row)), ...write.metadata };
  const lastActivity = write.source?.lastActivity.getTime() ?? Math.max(now, row.last_activity);
  const ttlSeconds = write.ttlSeconds ?? row.ttl_seconds ?? null;
  client.run(
    UPDATE,
    row.user_id ?? write.userId ?? null,
    JSON.stringify(metadata),
    lastActivity,
    ttlSeconds,
    ttlSeconds === null ? null : Math.min(lastActivity + ttlSeconds * 1_000, Number.MAX_SAFE_INTEGER),
    version,
    write.source?.metadataVersion ?? row.metadata_version + (setsMetadata ? 1 : 0),
    list.nextPosition,
    list.totalMessages,
    row.writes + 1,
    list.base,
    list.digest,
    row.id,
  );
  recordTraces(client, row, write);
  recordKey(client, row, write, list.nextPosition);
  const { nextPosition, totalMessages, digest: historyDigest } = list;
  return { status: "written", receipt: { version, nextPosition, totalMessages, historyDigest } };
}

const isChanged = (row: ConversationRow, list: MessageList, { dropLast = 0 }: ConversationWrite): boolean =>
  dropLast > 0 || list.nextPosition !== row.next_position || list.totalMessages !== row.total_messages;

const TRACE = "INSERT INTO traces (conversation, trace_id) VALUES (?, ?) ON CONFLICT DO NOTHING";

function recordTraces(
  client: SqliteClient,
  { id }: ConversationRow,
  { traceId, source }: ConversationWrite,
): void {
  const ofWrite = traceId === undefined ? [] : [traceId];
  for (const trace of [...(source?.traceIds ?? []), ...ofWrite]) client.run(TRACE, id, trace);
}

const KEY = `
INSERT INTO idempotency_keys (conversation, key, body_hash, write, next_position) VALUES (?, ?, ?, ?, ?)`;
const OLD_KEYS = "DELETE FROM idempotency_keys WHERE conversation = ? AND write < ?";

function recordKey(
  client: SqliteClient,
  { id, writes }: ConversationRow,
  { idempotency }: ConversationWrite,
  nextPosition: number,
): void {
  const write = writes + 1;
  client.run(OLD_KEYS, id, write - IDEMPOTENCY_WINDOW);
  if (idempotency !== undefined)
    client.run(KEY, id, idempotency.key, idempotency.bodyHash, write, nextPosition);
}
