import type { StoredFact, UserChange, UserKey, UserMemoryBackend } from "@jaf/user-memory/adapter";
import { type SQL, sql } from "drizzle-orm";
import type { SqlClient } from "../client/clients.ts";
import type { Statement } from "../client/statement.ts";
import { reusable } from "../client/statements.ts";
import { createUserMemoryTables, TABLE_SUFFIXES } from "../migrations/user-memory.ts";
import { qualifiedName, quoteLiteral, type ResolvedNames } from "../table-names.ts";
import { createFactColumns, packFacts } from "./fact-codec.ts";

type Writes = Pick<UserMemoryBackend, "commit" | "erase">;

const of = {
  hash: sql`${sql.placeholder("hash")}::text`,
  userId: sql`${sql.placeholder("userId")}::text`,
  expected: sql`${sql.placeholder("expected")}::bigint`,
  version: sql`${sql.placeholder("version")}::bigint`,
  epoch: sql`${sql.placeholder("epoch")}::bigint`,
  state: sql`${sql.placeholder("state")}::text`,
  documents: sql`${sql.placeholder("documents")}::bigint`,
  put: sql`${sql.placeholder("put")}::text::json`,
  drop: sql`${sql.placeholder("drop")}::text[]::bigint[]`,
  tombstones: sql`${sql.placeholder("tombstones")}::text::json`,
  removedTombstones: sql`${sql.placeholder("removedTombstones")}::text[]`,
  audit: sql`${sql.placeholder("audit")}::text::json`,
};

/** Returns the statement that changes a user's facts, unless the user's data has another version than expected. */
function commitQuery(names: ResolvedNames): SQL {
  const tables = createUserMemoryTables(names);
  const { heads, facts, tombstones, audit } = tables;
  const { names: columns, record, changes } = createFactColumns(tables);
  return sql`
    WITH created AS (
      INSERT INTO ${heads} AS head (user_hash, version, epoch, state, documents)
      SELECT ${of.hash}, ${of.version}, ${of.epoch}, ${of.state}, ${of.documents} WHERE ${of.expected} = 0
      ON CONFLICT (user_hash) DO UPDATE SET version = excluded.version, epoch = excluded.epoch,
        state = excluded.state, documents = head.documents + excluded.documents
      WHERE head.version = 0
      RETURNING 1
    ), updated AS (
      UPDATE ${heads} AS head SET version = ${of.version}, epoch = ${of.epoch}, state = ${of.state},
        documents = head.documents + ${of.documents}
      WHERE head.user_hash = ${of.hash} AND head.version = ${of.expected} AND ${of.expected} > 0
      RETURNING 1
    ), done AS (
      SELECT FROM created UNION ALL SELECT FROM updated
    ), dropped AS (
      DELETE FROM ${facts} AS fact
      WHERE EXISTS (SELECT FROM done) AND fact.ctid = ANY (ARRAY(
        SELECT gone.ctid FROM unnest(${of.drop}) AS wanted (seq) CROSS JOIN LATERAL (
          SELECT each.ctid FROM ${facts} AS each WHERE each.user_hash = ${of.hash} AND each.seq = wanted.seq OFFSET 0
        ) AS gone))
    ), put AS (
      INSERT INTO ${facts} (user_hash, user_id, ${columns})
      SELECT ${of.hash}, ${of.userId}, fact.* FROM json_to_recordset(${of.put}) AS fact (${record})
      WHERE EXISTS (SELECT FROM done)
      ON CONFLICT (user_hash, seq) DO UPDATE SET ${changes}
    ), added_tombstones AS (
      INSERT INTO ${tombstones} (user_hash, digest, at)
      SELECT ${of.hash}, tombstone.digest, tombstone.at
      FROM json_to_recordset(${of.tombstones}) AS tombstone (digest text, at bigint)
      WHERE EXISTS (SELECT FROM done)
      ON CONFLICT (user_hash, digest) DO UPDATE SET at = excluded.at
    ), removed_tombstones AS (
      DELETE FROM ${tombstones} AS tombstone
      WHERE tombstone.user_hash = ${of.hash} AND tombstone.digest = ANY (${of.removedTombstones}) AND EXISTS (SELECT FROM done)
    ), logged AS (
      INSERT INTO ${audit} (user_hash, seq, body)
      SELECT ${of.hash}, entry.seq, entry.body
      FROM json_to_recordset(${of.audit}) AS entry (seq bigint, body text)
      WHERE EXISTS (SELECT FROM done)
    )
    SELECT EXISTS (SELECT FROM done)::text AS written`;
}

const isIndexed = (fact: StoredFact | null): number => (fact !== null && fact.terms.length > 0 ? 1 : 0);

/** Returns the change of the number of the user's facts that have terms. It may be negative. */
function grownBy({ put, drop }: UserChange): number {
  const before = new Map(drop.map((fact) => [fact.seq, isIndexed(fact)]));
  for (const change of put.toReversed()) before.set(change.after.seq, isIndexed(change.before));
  const after = new Map(put.map((change) => [change.after.seq, isIndexed(change.after)]));
  for (const { seq } of drop) after.delete(seq);
  const sum = (counts: ReadonlyMap<number, number>): number =>
    [...counts.values()].reduce((total, count) => total + count, 0);
  return sum(after) - sum(before);
}

// A statement can change a row only once, so only the last of several changes is kept.
function lastOf<T>(items: readonly T[], nameOf: (item: T) => string | number, without: ReadonlySet<unknown>) {
  const last = new Map(items.map((item) => [nameOf(item), item]));
  return [...last.values()].filter((item) => !without.has(nameOf(item)));
}

function toValues(user: UserKey, change: UserChange, pgvector: boolean) {
  const { expectedVersion, head, put, drop, tombstones, removedTombstones, audit } = change;
  const dropped = new Set<unknown>(drop.map(({ seq }) => seq));
  const facts = put.map(({ after }) => after);
  return {
    hash: user.hash,
    userId: user.userId,
    expected: expectedVersion,
    version: head.version,
    epoch: head.epoch,
    state: head.state,
    documents: grownBy(change),
    put: packFacts(
      { user, pgvector },
      lastOf(facts, ({ seq }) => seq, dropped),
    ),
    drop: [...dropped].map(String),
    tombstones: JSON.stringify(lastOf(tombstones, ({ digest }) => digest, new Set(removedTombstones))),
    removedTombstones,
    audit: JSON.stringify(audit),
  };
}

/** Creates the call of the SQL function `<table>_erase`, which erases a user. */
function createEraseCall(names: ResolvedNames) {
  const table = (suffix: string): SQL => sql.raw(`${quoteLiteral(qualifiedName(names, suffix))}::regclass`);
  const { heads, facts, tombstones, audit, jobs } = TABLE_SUFFIXES;
  return reusable<"hash" | "state" | "audit">(sql`
    SELECT ${sql.raw(qualifiedName(names, "_erase"))}(${of.hash}, ${of.state}, ${of.audit}, ${table(heads)},
      ${table(facts)}, ${table(tombstones)}, ${table(audit)}, ${table(jobs)}) AS gone`);
}

/**
 * Returns functions that make the statements which change and erase a user's facts. `pgvector`: whether pgvector
 * compares the vectors.
 */
export function createWriteStatements(names: ResolvedNames, pgvector: boolean) {
  const commit = reusable<keyof ReturnType<typeof toValues>>(commitQuery(names));
  const erase = createEraseCall(names);
  return {
    commit: (user: UserKey, change: UserChange): Statement => ({
      ...commit(toValues(user, change, pgvector)),
      writes: true,
    }),
    erase: (user: UserKey, state: string, audit: string): Statement => ({
      ...erase({ hash: user.hash, state, audit }),
      writes: true,
    }),
  };
}

interface WritesOptions {
  readonly names: ResolvedNames;
  /** Whether pgvector compares the vectors. */
  readonly pgvector: boolean;
}

export function createWrites(client: SqlClient, { names, pgvector }: WritesOptions): Writes {
  const statements = createWriteStatements(names, pgvector);
  return {
    commit: async (user, change) => {
      const [row] = await client.query(statements.commit(user, change));
      return row?.["written"] === "true";
    },
    erase: async (user, { state, audit }) => {
      const [row] = await client.query(statements.erase(user, state, JSON.stringify(audit)));
      const [facts = 0, vectors = 0, jobs = 0] = (row?.["gone"] ?? "").split(" ").map(Number);
      return { facts, vectors, jobs };
    },
  };
}
