import type {
  Erased,
  StoredAuditEntry,
  StoredFact,
  UserChange,
  UserHead,
  UserKey,
  UserMemoryBackend,
} from "@jaf/user-memory/adapter";
import type { SqliteClient } from "../client/client.ts";
import type { OpenedDatabase } from "../database.ts";
import { FACT_COLUMNS, packFact } from "./fact-codec.ts";
import { headOf } from "./reads.ts";

type Writes = Pick<UserMemoryBackend, "commit" | "erase">;

const SET_HEAD = `
INSERT INTO fact_heads (user_hash, version, epoch, state) VALUES (?, ?, ?, ?)
ON CONFLICT (user_hash) DO UPDATE SET version = excluded.version, epoch = excluded.epoch, state = excluded.state`;

const setHead = (client: SqliteClient, { hash }: UserKey, { version, epoch, state }: UserHead): void =>
  void client.run(SET_HEAD, hash, version, epoch, state);

// The foreign key deletes its terms.
const DROP = "DELETE FROM facts WHERE user_hash = ? AND seq = ?";
const PUT = `
INSERT INTO facts (user_hash, ${FACT_COLUMNS.join(", ")}) VALUES (?${", ?".repeat(FACT_COLUMNS.length)})
RETURNING id`;
const PUT_TERM = "INSERT INTO fact_terms (user_hash, term, fact, weight) VALUES (?, ?, ?, ?)";

function put(client: SqliteClient, { hash }: UserKey, fact: StoredFact): void {
  client.run(DROP, hash, fact.seq);
  const id = Number(client.first(PUT, hash, ...packFact(fact))?.["id"]);
  for (const { term, weight } of fact.terms) client.run(PUT_TERM, hash, term, id, weight);
}

const LOG = "INSERT INTO fact_audit (user_hash, seq, body) VALUES (?, ?, ?)";

function log(client: SqliteClient, { hash }: UserKey, entries: readonly StoredAuditEntry[]): void {
  for (const { seq, body } of entries) client.run(LOG, hash, seq, body);
}

const LEAVE = `
INSERT INTO fact_tombstones (user_hash, digest, at) VALUES (?, ?, ?)
ON CONFLICT (user_hash, digest) DO UPDATE SET at = excluded.at`;
const REMOVE = "DELETE FROM fact_tombstones WHERE user_hash = ? AND digest = ?";

function commit(client: SqliteClient, user: UserKey, change: UserChange): boolean {
  if ((headOf(client, user)?.version ?? 0) !== change.expectedVersion) return false;
  setHead(client, user, change.head);
  for (const { after } of change.put) put(client, user, after);
  for (const { seq } of change.drop) client.run(DROP, user.hash, seq);
  for (const { digest, at } of change.tombstones) client.run(LEAVE, user.hash, digest, at);
  for (const digest of change.removedTombstones) client.run(REMOVE, user.hash, digest);
  log(client, user, change.audit);
  return true;
}

const VECTORS = "SELECT count(vector) AS vectors FROM facts WHERE user_hash = ?";

function eraseAll(client: SqliteClient, { hash }: UserKey): Erased {
  const vectors = Number(client.first(VECTORS, hash)?.["vectors"]);
  const erase = (table: string) => client.run(`DELETE FROM ${table} WHERE user_hash = ?`, hash);
  const erased = { facts: erase("facts"), vectors, jobs: erase("fact_jobs") };
  erase("fact_tombstones");
  erase("fact_audit");
  return erased;
}

export function createWrites(database: OpenedDatabase): Writes {
  return {
    commit: (user, change) => database.write((client) => commit(client, user, change)),
    erase: (user, { state, audit }) =>
      database.write((client) => {
        const { version, epoch } = headOf(client, user) ?? { version: 0, epoch: 0 };
        const erased = eraseAll(client, user);
        setHead(client, user, { version: version + 1, epoch: epoch + 1, state });
        log(client, user, audit);
        return erased;
      }),
  };
}
