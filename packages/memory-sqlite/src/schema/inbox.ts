/**
 * The tables of inboxes. Times are in milliseconds since 1970. `inbox` is `inboxes.id`, `last` the number of its last
 * entry.
 */
export const inboxTables = `
CREATE TABLE inboxes (
  id INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL,
  epoch TEXT NOT NULL,
  last INTEGER NOT NULL
) STRICT;
CREATE INDEX inboxes_by_user ON inboxes (user_id);

CREATE TABLE inbox_entries (
  inbox INTEGER NOT NULL REFERENCES inboxes (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  key TEXT NOT NULL,
  content TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (inbox, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox_keys (
  inbox INTEGER NOT NULL REFERENCES inboxes (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  number INTEGER NOT NULL,
  put_at INTEGER NOT NULL,
  PRIMARY KEY (inbox, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_keys_by_time ON inbox_keys (put_at);
`;
