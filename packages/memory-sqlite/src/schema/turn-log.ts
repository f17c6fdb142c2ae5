/**
 * The tables of the turn log. Times are in milliseconds since 1970. A higher `turns.id` is that of a later turn. `turn` is
 * `turns.id`. `events_expire_at` is null once the events are deleted.
 */
export const turnLogTables = `
CREATE TABLE turns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  state TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  lease_ms INTEGER NOT NULL,
  keep_ms INTEGER NOT NULL,
  token TEXT NOT NULL,
  lease_ends_at INTEGER NOT NULL,
  stop_requested INTEGER NOT NULL,
  request TEXT NOT NULL,
  record TEXT,
  events INTEGER NOT NULL,
  events_expire_at INTEGER,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX turns_by_name ON turns (conversation_id, turn_id);
CREATE INDEX turns_by_conversation ON turns (conversation_id, id);
CREATE INDEX turns_by_user ON turns (user_id, state, id);
CREATE INDEX turns_by_lease ON turns (lease_ends_at) WHERE state = 'running';
CREATE INDEX turns_by_expiry ON turns (expires_at);
CREATE INDEX turns_by_event_expiry ON turns (events_expire_at) WHERE events_expire_at IS NOT NULL;

CREATE TABLE turn_events (
  turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (turn, number)
) STRICT, WITHOUT ROWID;
`;
