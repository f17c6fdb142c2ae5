import type { Inbox } from "@jaf/memory";
import {
  defineInbox,
  INBOX_KEY_SECONDS,
  type InboxBackend,
  MOST_INBOX_ENTRIES,
  type NewInboxEntry,
  type PutEntry,
  parseInboxCursor,
  toInboxCursor,
} from "@jaf/memory/adapter";
import type { SqliteClient } from "../client/client.ts";
import type { SqliteConfig } from "../config.ts";
import type { OpenedDatabase, SqliteDatabase } from "../database.ts";
import { toMemoryError } from "../errors.ts";
import { openStore } from "../open-store.ts";

/**
 * Creates an inbox in a SQLite file, which several processes may have open at the same time. Creates the file and its
 * tables if they are missing. With `database`, which `openSqlite` returns, the inbox uses that connection, and closing
 * the inbox doesn't close it.
 *
 * Rejects with a `TypeError` for an invalid configuration, and with a `MemorySetupError` if the file can't be opened,
 * isn't ours, or was written by a newer version.
 *
 * @example
 * ```ts
 * import { createSqliteInbox } from "@jaf/memory-sqlite";
 *
 * const inbox = await createSqliteInbox({ file: "memory.db" });
 * const ids = { conversationId: "conv-123", userId: "user-456" };
 * await inbox.put({ ...ids, key: crypto.randomUUID(), content: '"And make it short."' });
 * await inbox.close();
 * ```
 */
export async function createSqliteInbox(config: SqliteConfig, database?: SqliteDatabase): Promise<Inbox> {
  const store = await openStore(config, database, "createSqliteInbox");
  return defineInbox(createInboxBackend(store.database, store.close));
}

const FORGOTTEN_AT_ONCE = 100;

const FORGET = `
DELETE FROM inbox_keys WHERE (inbox, key) IN (
  SELECT inbox, key FROM inbox_keys WHERE put_at <= ? ORDER BY put_at LIMIT ${FORGOTTEN_AT_ONCE}) RETURNING inbox`;
const FORGET_OF = "DELETE FROM inbox_keys WHERE inbox = ? AND put_at <= ?";
const REMOVE_EMPTY = `
DELETE FROM inboxes WHERE id = ? AND NOT EXISTS (SELECT 1 FROM inbox_entries WHERE inbox = inboxes.id)
  AND NOT EXISTS (SELECT 1 FROM inbox_keys WHERE inbox = inboxes.id)`;
const FIND = "SELECT id, user_id, epoch, last FROM inboxes WHERE conversation_id = ?";
const CREATE = "INSERT INTO inboxes (conversation_id, user_id, epoch, last) VALUES (?, ?, ?, 0)";
const KEY = "SELECT number FROM inbox_keys WHERE inbox = ? AND key = ?";
const COUNT = "SELECT count(*) AS entries FROM inbox_entries WHERE inbox = ?";
const COUNT_UP = "UPDATE inboxes SET last = ? WHERE id = ?";
const ADD = "INSERT INTO inbox_entries (inbox, number, key, content, received_at) VALUES (?, ?, ?, ?, ?)";
const ADD_KEY = "INSERT INTO inbox_keys (inbox, key, number, put_at) VALUES (?, ?, ?, ?)";
const READ = `
SELECT number, key, content, received_at FROM inbox_entries WHERE inbox = ? AND number > ? ORDER BY number LIMIT ?`;
const REMOVE = "DELETE FROM inbox_entries WHERE inbox = ? AND number <= ?";
const ERASE = "DELETE FROM inboxes WHERE id = ?";
const OF_USER = "SELECT conversation_id FROM inboxes WHERE user_id = ?";
const waitingOf = (condition: string) => `
SELECT conversation_id, user_id, count(*) AS entries, min(received_at) AS since
FROM inboxes JOIN inbox_entries ON inbox = inboxes.id ${condition} GROUP BY inboxes.id ORDER BY since LIMIT ?`;
const WAITING = waitingOf("");
const WAITING_OF_USER = waitingOf("WHERE user_id = ?");

interface Box {
  readonly id: number;
  readonly userId: string;
  /** Tells this inbox from an erased one of the same conversation. */
  readonly epoch: string;
  readonly last: number;
}

function boxOf(client: SqliteClient, conversationId: string): Box | undefined {
  const row = client.first(FIND, conversationId);
  if (row === undefined) return undefined;
  const { id, user_id, epoch, last } = row;
  return { id: Number(id), userId: String(user_id), epoch: String(epoch), last: Number(last) };
}

/** Returns the inbox of the conversation and its user. A put of another user begins a new one. */
function boxFor(client: SqliteClient, { conversationId, userId }: NewInboxEntry): Box | undefined {
  const known = boxOf(client, conversationId);
  if (known?.userId === userId) return known;
  if (known !== undefined) client.run(ERASE, known.id);
  client.run(CREATE, conversationId, userId, crypto.randomUUID());
  return boxOf(client, conversationId);
}

function put(client: SqliteClient, entry: NewInboxEntry): PutEntry | "full" {
  const now = Date.now();
  const before = now - INBOX_KEY_SECONDS * 1_000;
  for (const { inbox } of client.all(FORGET, before)) client.run(REMOVE_EMPTY, Number(inbox));
  const box = boxFor(client, entry);
  if (box === undefined) throw new Error("the new inbox is missing");
  client.run(FORGET_OF, box.id, before);
  const known = client.first(KEY, box.id, entry.key);
  const cursorOf = (number: number) => toInboxCursor({ epoch: box.epoch, number });
  if (known !== undefined) return { cursor: cursorOf(Number(known["number"])), isNew: false };
  if (Number(client.first(COUNT, box.id)?.["entries"]) >= MOST_INBOX_ENTRIES) return "full";
  const number = box.last + 1;
  client.run(COUNT_UP, number, box.id);
  client.run(ADD, box.id, number, entry.key, entry.content, now);
  client.run(ADD_KEY, box.id, entry.key, number, now);
  return { cursor: cursorOf(number), isNew: true };
}

/** The number in the cursor if it is one of this inbox, else 0. */
function numberIn(cursor: string | undefined, box: Box): number {
  const { epoch, number } = parseInboxCursor(cursor);
  return epoch === box.epoch ? number : 0;
}

function erase(client: SqliteClient, conversationId: string): number {
  const box = boxOf(client, conversationId);
  if (box === undefined) return 0;
  const entries = Number(client.first(COUNT, box.id)?.["entries"]);
  client.run(ERASE, box.id);
  return entries;
}

/** Creates the backend of inboxes in a SQLite file. `close` closes what the caller opened for it. */
export const createInboxBackend = (database: OpenedDatabase, close: () => Promise<void>): InboxBackend => ({
  name: "sqlite",
  put: (entry) => database.write((client) => put(client, entry)),
  read: ({ conversationId, after, limit }) =>
    database.read((client) => {
      const box = boxOf(client, conversationId);
      if (box === undefined) return [];
      return client.all(READ, box.id, numberIn(after, box), limit).map((row) => ({
        conversationId,
        userId: box.userId,
        key: String(row["key"]),
        content: String(row["content"]),
        cursor: toInboxCursor({ epoch: box.epoch, number: Number(row["number"]) }),
        receivedAt: new Date(Number(row["received_at"])),
      }));
    }),
  remove: ({ conversationId, upTo }) =>
    database.write((client) => {
      const box = boxOf(client, conversationId);
      return box === undefined ? 0 : client.run(REMOVE, box.id, numberIn(upTo, box));
    }),
  waiting: ({ userId, limit }) =>
    database.read((client) => {
      const rows =
        userId === undefined ? client.all(WAITING, limit) : client.all(WAITING_OF_USER, userId, limit);
      return rows.map((row) => ({
        conversationId: String(row["conversation_id"]),
        userId: String(row["user_id"]),
        entries: Number(row["entries"]),
        since: new Date(Number(row["since"])),
      }));
    }),
  deleteConversation: (conversationId) => database.write((client) => erase(client, conversationId)),
  deleteUser: (userId) =>
    database.write((client) =>
      client
        .all(OF_USER, userId)
        .reduce((erased, { conversation_id }) => erased + erase(client, String(conversation_id)), 0),
    ),
  close,
  toMemoryError,
});
