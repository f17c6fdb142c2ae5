/**
 * The tables of blobs. Times are in milliseconds since 1970. `seen_at` is when the blob's idle time began. `blob` is
 * `blobs.id`.
 */
export const blobTables = `
CREATE TABLE blobs (
  id INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  token TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  size INTEGER NOT NULL,
  data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX blobs_by_hash ON blobs (conversation_id, sha256);
CREATE INDEX blobs_by_conversation ON blobs (conversation_id, seen_at);
CREATE INDEX blobs_by_time ON blobs (seen_at);

CREATE TABLE blob_holds (
  blob INTEGER NOT NULL REFERENCES blobs (id) ON DELETE CASCADE,
  hold_id TEXT NOT NULL,
  ends_at INTEGER NOT NULL,
  PRIMARY KEY (blob, hold_id)
) STRICT, WITHOUT ROWID;
`;
