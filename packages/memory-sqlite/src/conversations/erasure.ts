import type { SqliteClient } from "../client/client.ts";
import { COLUMNS, type ConversationRow, isLive, liveRowOf, rowOf, toConversationRow } from "./rows.ts";
import { leaveTombstone, sweepTombstones } from "./tombstones.ts";

const CHILDREN = `SELECT ${COLUMNS} FROM conversations WHERE parent_id = ?`;
// The foreign keys delete its messages, traces and keys.
const DELETE = "DELETE FROM conversations WHERE id = ?";

/** Deletes a conversation and its descendants, without tombstones. `onEach` gets the id of each. */
export function eraseConversation(
  client: SqliteClient,
  { id, conversation_id }: ConversationRow,
  onEach: (conversationId: string) => void = () => {},
): void {
  client.run(DELETE, id);
  onEach(conversation_id);
  for (const child of client.all(CHILDREN, conversation_id)) {
    eraseConversation(client, toConversationRow(child), onEach);
  }
}

const EXPIRED_AT_ONCE = 10;

const EXPIRED = `
SELECT ${COLUMNS} FROM conversations WHERE expires_at <= ? ORDER BY expires_at LIMIT ${EXPIRED_AT_ONCE}`;

/** Deletes some conversations that have expired. */
export function sweepExpired(client: SqliteClient, now: number): void {
  for (const row of client.all(EXPIRED, now)) eraseConversation(client, toConversationRow(row));
}

function eraseWithTombstones(client: SqliteClient, row: ConversationRow, now: number): void {
  eraseConversation(client, row, (conversationId) =>
    leaveTombstone(client, "conversation", conversationId, now),
  );
}

/** Deletes a conversation as `MemoryBackend.delete` does, in the transaction of `client`. */
export function deleteConversation(client: SqliteClient, conversationId: string): boolean {
  const now = Date.now();
  sweepTombstones(client, now);
  const existed = liveRowOf(client, conversationId, now) !== undefined;
  const row = rowOf(client, conversationId);
  if (row === undefined) leaveTombstone(client, "conversation", conversationId, now);
  else eraseWithTombstones(client, row, now);
  return existed;
}

export function leaveTombstoneOfUser(client: SqliteClient, userId: string): void {
  leaveTombstone(client, "user", userId, Date.now());
}

/** The number of conversations that one transaction deletes, so that it is short. */
const CLEARED_AT_ONCE = 20;

const OWNED = `SELECT ${COLUMNS} FROM conversations WHERE user_id = ? LIMIT ${CLEARED_AT_ONCE}`;

interface Cleared {
  /** The number of deleted conversations, without children. */
  readonly count: number;
  /** Whether the user owns no other conversations. */
  readonly done: boolean;
}

/** Deletes some conversations of a user. */
export function clearSome(client: SqliteClient, userId: string): Cleared {
  const now = Date.now();
  const rows = client.all(OWNED, userId).map(toConversationRow);
  const counted = rows.filter((row) => row.parent_id === undefined && isLive(client, row, now));
  // A child may be deleted with its parent first. Then there is nothing left of it to delete.
  for (const row of rows) eraseWithTombstones(client, row, now);
  return { count: counted.length, done: rows.length < CLEARED_AT_ONCE };
}
