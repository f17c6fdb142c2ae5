/**
 * The tables of conversations. Times are in milliseconds since 1970. `conversation` is `conversations.id`.
 *
 * - `conversations`: one row each. `metadata` is JSON text. `digest_base` and `history_digest` are those of a
 *   `HistoryReader`. `writes` counts all writes, because the age of an idempotency key is measured in writes.
 * - `messages`: `body` is the message as JSON text, `message_id` and `message_hash` are its own id.
 * - `traces`: all traces that wrote to a conversation.
 * - `tombstones`: `key` is a hash of the id that was erased.
 */
// In the index by user, `parent_id` comes before the time, so a list of a user's conversations skips no children.
export const conversationTables = `
CREATE TABLE conversations (
  id INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL UNIQUE,
  user_id TEXT,
  parent_id TEXT,
  incarnation TEXT NOT NULL,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_activity INTEGER NOT NULL,
  ttl_seconds INTEGER,
  expires_at INTEGER,
  version INTEGER NOT NULL,
  metadata_version INTEGER NOT NULL,
  next_position INTEGER NOT NULL,
  total_messages INTEGER NOT NULL,
  writes INTEGER NOT NULL,
  digest_base TEXT NOT NULL,
  history_digest TEXT NOT NULL
) STRICT;
CREATE INDEX conversations_by_user ON conversations (user_id, parent_id, last_activity, conversation_id);
CREATE INDEX conversations_by_activity ON conversations (last_activity, conversation_id) WHERE parent_id IS NULL;
CREATE INDEX conversations_by_parent ON conversations (parent_id, last_activity, conversation_id)
  WHERE parent_id IS NOT NULL;
CREATE INDEX conversations_by_expiry ON conversations (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  body TEXT NOT NULL,
  is_tool_result INTEGER NOT NULL,
  digest TEXT NOT NULL,
  message_id TEXT,
  message_hash TEXT
) STRICT;
CREATE UNIQUE INDEX messages_by_position ON messages (conversation, position);
CREATE UNIQUE INDEX messages_by_own_id ON messages (conversation, message_id) WHERE message_id IS NOT NULL;

CREATE TABLE traces (
  conversation INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  trace_id TEXT NOT NULL,
  PRIMARY KEY (conversation, trace_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX traces_by_id ON traces (trace_id, conversation);

CREATE TABLE idempotency_keys (
  conversation INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  write INTEGER NOT NULL,
  next_position INTEGER NOT NULL,
  PRIMARY KEY (conversation, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_write ON idempotency_keys (conversation, write);

CREATE TABLE tombstones (
  key TEXT NOT NULL PRIMARY KEY,
  id TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstones_by_expiry ON tombstones (expires_at);
`;
