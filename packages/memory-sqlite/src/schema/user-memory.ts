/**
 * The tables of facts about users. Times are in milliseconds since 1970.
 *
 * - `fact_heads`: the head record of each user.
 * - `facts`: `body` is the fact as JSON, `terms` its index terms as JSON, `vector` its vector as 32-bit numbers. The other
 *   columns are for searches.
 * - `fact_terms`: the index by terms. `fact` is `facts.id`.
 * - `fact_tombstones`: hashes of forgotten facts.
 */
export const userMemoryTables = `
CREATE TABLE fact_heads (
  user_hash TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  state TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE facts (
  id INTEGER PRIMARY KEY,
  user_hash TEXT NOT NULL,
  seq INTEGER NOT NULL,
  fact_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  key TEXT,
  status TEXT NOT NULL,
  conversation_id TEXT,
  position INTEGER,
  author TEXT,
  said_at INTEGER,
  superseded_by TEXT,
  body TEXT NOT NULL,
  terms TEXT NOT NULL,
  term_count INTEGER NOT NULL,
  vector BLOB
) STRICT;
CREATE UNIQUE INDEX facts_by_seq ON facts (user_hash, seq);
CREATE INDEX facts_by_id ON facts (user_hash, fact_id);
CREATE INDEX facts_by_digest ON facts (user_hash, digest);
CREATE INDEX facts_by_key ON facts (user_hash, key, status) WHERE key IS NOT NULL;
CREATE INDEX facts_by_status ON facts (user_hash, status, seq);
CREATE INDEX facts_by_place ON facts (user_hash, conversation_id, position) WHERE conversation_id IS NOT NULL;
CREATE INDEX facts_by_superseder ON facts (user_hash, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX facts_with_terms ON facts (user_hash) WHERE term_count > 0;

CREATE TABLE fact_terms (
  user_hash TEXT NOT NULL,
  term TEXT NOT NULL,
  fact INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
  weight INTEGER NOT NULL,
  PRIMARY KEY (user_hash, term, fact)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_terms_by_fact ON fact_terms (fact);

CREATE TABLE fact_tombstones (
  user_hash TEXT NOT NULL,
  digest TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (user_hash, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact_audit (
  user_hash TEXT NOT NULL,
  seq INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (user_hash, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact_jobs (
  user_hash TEXT NOT NULL,
  id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  ready_at INTEGER NOT NULL,
  PRIMARY KEY (user_hash, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_jobs_by_time ON fact_jobs (ready_at);
`;
