import { bigint, doublePrecision, integer, type PgTableFn, real, text } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";
import {
  BODY,
  bytesColumn,
  countColumn,
  ddl,
  exactTextColumn,
  hasFunction,
  type TableGroup,
  tableIn,
} from "./table-group.ts";

const tablesSql = ddl`
CREATE TABLE "__p___audit" (
	"user_hash" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"body" text NOT NULL,
	CONSTRAINT "__p___audit_pkey" PRIMARY KEY ("user_hash", "seq")
);
CREATE TABLE "__p___facts" (
	"user_hash" text COLLATE "C" NOT NULL,
	"user_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"fact" text NOT NULL,
	"tags" text[] NOT NULL,
	"score" double precision,
	"trust" text NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"quarantine" text,
	"digest" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C",
	"conversation_id" text COLLATE "C",
	"position" bigint,
	"message_id" text,
	"author" text,
	"extractor" text,
	"evidence" text,
	"said_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint,
	"valid_from" bigint NOT NULL,
	"valid_until" bigint,
	"superseded_by" text COLLATE "C",
	"superseded_at" bigint,
	"conflicts_with" text,
	"terms" text[] NOT NULL,
	"weights" integer[] NOT NULL,
	"term_keys" bigint[] NOT NULL,
	"vector" real[],
	"packed_vector" bytea,
	"quotation" text,
	"used_at" bigint,
	CONSTRAINT "__p___facts_pkey" PRIMARY KEY ("user_hash", "seq")
);
CREATE TABLE "__p___heads" (
	"user_hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL,
	"epoch" bigint NOT NULL,
	"state" text NOT NULL,
	"documents" bigint NOT NULL
);
CREATE TABLE "__p___jobs" (
	"user_hash" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"user_id" text NOT NULL,
	"body" text NOT NULL,
	"attempts" bigint NOT NULL,
	"ready_at" bigint NOT NULL,
	CONSTRAINT "__p___jobs_pkey" PRIMARY KEY ("user_hash", "id")
);
CREATE TABLE "__p___fact_tombstones" (
	"user_hash" text COLLATE "C" NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	CONSTRAINT "__p___fact_tombstones_pkey" PRIMARY KEY ("user_hash", "digest")
);
CREATE INDEX "idx___p___facts_id" ON "__p___facts" ("user_hash", "id");
CREATE INDEX "idx___p___facts_digest" ON "__p___facts" ("user_hash", "digest");
CREATE INDEX "idx___p___facts_key" ON "__p___facts" ("user_hash", "key", "status") WHERE key IS NOT NULL;
CREATE INDEX "idx___p___facts_place" ON "__p___facts" ("user_hash", "conversation_id", "position") WHERE conversation_id IS NOT NULL;
CREATE INDEX "idx___p___facts_superseder" ON "__p___facts" ("user_hash", "superseded_by") WHERE superseded_by IS NOT NULL;
CREATE INDEX "idx___p___facts_status" ON "__p___facts" ("user_hash", "status", "seq");
CREATE INDEX "idx___p___facts_vector" ON "__p___facts" ("user_hash", "seq") WHERE vector IS NOT NULL;
CREATE INDEX "idx___p___facts_packed" ON "__p___facts" ("user_hash", "seq") WHERE packed_vector IS NOT NULL;
-- The index has no list of pending entries, because every search would have to read it.
CREATE INDEX "idx___p___facts_terms" ON "__p___facts" USING gin ("term_keys") WITH (fastupdate = false);
CREATE INDEX "idx___p___jobs_ready_at" ON "__p___jobs" ("ready_at");
-- Compression doesn't make vectors smaller, and uncompressed vectors are read faster.
ALTER TABLE "__p___facts"
	ALTER COLUMN "vector" SET STORAGE EXTERNAL,
	ALTER COLUMN "packed_vector" SET STORAGE EXTERNAL;
-- Statistics keep samples of a column's values, even after the values were deleted. So there are none of what users
-- say.
ALTER TABLE "__p___facts"
	ALTER COLUMN "user_id" SET STATISTICS 0,
	ALTER COLUMN "fact" SET STATISTICS 0,
	ALTER COLUMN "tags" SET STATISTICS 0,
	ALTER COLUMN "key" SET STATISTICS 0,
	ALTER COLUMN "conversation_id" SET STATISTICS 0,
	ALTER COLUMN "message_id" SET STATISTICS 0,
	ALTER COLUMN "author" SET STATISTICS 0,
	ALTER COLUMN "extractor" SET STATISTICS 0,
	ALTER COLUMN "evidence" SET STATISTICS 0,
	ALTER COLUMN "quotation" SET STATISTICS 0,
	ALTER COLUMN "terms" SET STATISTICS 0;
ALTER TABLE "__p___jobs"
	ALTER COLUMN "user_id" SET STATISTICS 0,
	ALTER COLUMN "body" SET STATISTICS 0;
`;

// Statements without statistics often look equally cheap by several indexes, e.g. if they are planned while the table is
// empty, and a prepared statement keeps its plan. So each lookup has an index that no other lookup can use: the user's
// hash and the value are one expression, and only the primary key has the hash alone.
const lookupsSql = ddl`
DROP INDEX "public"."idx___p___facts_id";
DROP INDEX "public"."idx___p___facts_digest";
DROP INDEX "public"."idx___p___facts_key";
DROP INDEX "public"."idx___p___facts_place";
DROP INDEX "public"."idx___p___facts_superseder";
DROP INDEX "public"."idx___p___facts_status";
CREATE INDEX "idx___p___facts_id" ON "__p___facts" (("user_hash" || "id"));
CREATE INDEX "idx___p___facts_digest" ON "__p___facts" (("user_hash" || "digest"));
CREATE INDEX "idx___p___facts_key" ON "__p___facts" (("user_hash" || "key"), "status") WHERE key IS NOT NULL;
CREATE INDEX "idx___p___facts_place" ON "__p___facts" (("user_hash" || "conversation_id"), "position") WHERE conversation_id IS NOT NULL;
CREATE INDEX "idx___p___facts_superseder" ON "__p___facts" (("user_hash" || "superseded_by")) WHERE superseded_by IS NOT NULL;
CREATE INDEX "idx___p___facts_status" ON "__p___facts" ("status", "user_hash", "seq");
-- An index on an expression has statistics of its own.
ALTER INDEX "public"."idx___p___facts_key" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "public"."idx___p___facts_place" ALTER COLUMN 1 SET STATISTICS 0;
`;

const eraseFunction = ddl`
-- Deletes everything about a user, atomically. The head stays, with its version and epoch increased by one. A new audit
-- trail takes the place of the old one.
--
-- Arguments
--   p_user_hash   the hash of the user's id
--   p_state       the new state of the head
--   p_trail       the new audit trail: an array of objects with seq and body
--   p_heads, p_facts, p_tombstones, p_audit, p_jobs   the five tables. They are arguments, so the function contains no
--                 table names and works after a renaming of the schema
--
-- Returns the numbers of deleted facts, vectors and jobs, separated by spaces.
--
-- It is a function, because each statement in it sees what was committed before the statement began. The first
-- statement waits for the user's head, which every write for the user locks before it writes anything else.
CREATE OR REPLACE FUNCTION "public"."__p___erase"(
	p_user_hash text,
	p_state text,
	p_trail json,
	p_heads regclass,
	p_facts regclass,
	p_tombstones regclass,
	p_audit regclass,
	p_jobs regclass
)
RETURNS text
LANGUAGE plpgsql
AS ${BODY}
DECLARE
	facts bigint;
	vectors bigint;
	jobs bigint;
BEGIN
	EXECUTE format(
		'INSERT INTO %s AS head (user_hash, version, epoch, state, documents) VALUES ($1, 1, 1, $2, 0) '
		'ON CONFLICT (user_hash) DO UPDATE '
		'SET version = head.version + 1, epoch = head.epoch + 1, state = excluded.state, documents = 0',
		p_heads
	) USING p_user_hash, p_state;
	EXECUTE format(
		'WITH gone AS (DELETE FROM %s WHERE user_hash = $1 RETURNING vector IS NOT NULL OR packed_vector IS NOT NULL AS had_vector) '
		'SELECT count(*), count(*) FILTER (WHERE had_vector) FROM gone',
		p_facts
	) INTO facts, vectors USING p_user_hash;
	EXECUTE format('DELETE FROM %s WHERE user_hash = $1', p_tombstones) USING p_user_hash;
	EXECUTE format('DELETE FROM %s WHERE user_hash = $1', p_audit) USING p_user_hash;
	EXECUTE format(
		'INSERT INTO %s (user_hash, seq, body) '
		'SELECT $1, entry.seq, entry.body FROM json_to_recordset($2) AS entry (seq bigint, body text)',
		p_audit
	) USING p_user_hash, p_trail;
	EXECUTE format('DELETE FROM %s WHERE user_hash = $1', p_jobs) USING p_user_hash;
	GET DIAGNOSTICS jobs = ROW_COUNT;
	RETURN concat_ws(' ', facts, vectors, jobs);
END
${BODY};
`;

/** The group with the tables of user memory. */
export const userMemoryTables: TableGroup = {
  journalSuffix: "_fact_migrations",
  tables: ["_heads", "_facts", "_fact_tombstones", "_audit", "_jobs"],
  migrations: [
    { name: "initial", sql: tablesSql },
    { name: "lookups", sql: lookupsSql },
  ],
  functions: {
    sql: eraseFunction,
    // The function contains no table names, so it works in any schema.
    areOwn: (schema, tableName) => hasFunction(schema, `${tableName}_erase`),
  },
  remedy: "migrate(), or the script of printMigrations(), both of @jaf/memory-postgres/user-memory",
};

/** A column for a time in milliseconds since 1970, exact for every JavaScript date. */
const time = countColumn;

/** The heads of users: one row for each user, with a hash of the user's id. The row stays when the user is erased. */
const headsTable = (table: PgTableFn, name: string) =>
  table(name, {
    userHash: exactTextColumn("user_hash").primaryKey(),
    /** Counts the changes of the user's data. 0: nothing was written yet. */
    // A row with version 0 exists only as a lock.
    version: countColumn("version").notNull(),
    epoch: countColumn("epoch").notNull(),
    state: text("state").notNull(),
    /** The number of the user's facts that have terms. */
    documents: countColumn("documents").notNull(),
  });

const factColumns = {
  seq: countColumn("seq").notNull(),
  id: exactTextColumn("id").notNull(),
  fact: text("fact").notNull(),
  tags: text("tags").array().notNull(),
  score: doublePrecision("score"),
  trust: text("trust").notNull(),
  status: exactTextColumn("status").notNull(),
  quarantine: text("quarantine"),
  digest: exactTextColumn("digest").notNull(),
  key: exactTextColumn("key"),
  conversationId: exactTextColumn("conversation_id"),
  position: countColumn("position"),
  messageId: text("message_id"),
  author: text("author"),
  extractor: text("extractor"),
  evidence: text("evidence"),
  saidAt: time("said_at"),
  createdAt: time("created_at").notNull(),
  updatedAt: time("updated_at"),
  validFrom: time("valid_from").notNull(),
  validUntil: time("valid_until"),
  supersededBy: exactTextColumn("superseded_by"),
  supersededAt: time("superseded_at"),
  conflictsWith: text("conflicts_with"),
  quotation: text("quotation"),
  usedAt: time("used_at"),
  terms: text("terms").array().notNull(),
  /** The weights of the terms, in the order of the terms. */
  weights: integer("weights").array().notNull(),
  /** Hashes of the user and each term. */
  // One index on them serves all users, finds the terms of one user, and contains no words.
  termKeys: bigint("term_keys", { mode: "bigint" }).array().notNull(),
  /** The vector, if pgvector compares the vectors. Null: pgvector isn't used, or the fact has no vector. */
  vector: real("vector").array(),
  /**
   * The vector as little-endian numbers of four bytes, if pgvector isn't used. Null: pgvector is used, or the fact has
   * no vector.
   */
  packedVector: bytesColumn("packed_vector"),
};

const factsTable = (table: PgTableFn, name: string) =>
  table(name, {
    userHash: exactTextColumn("user_hash").notNull(),
    /** The user's id, for your own SQL. */
    userId: text("user_id").notNull(),
    ...factColumns,
  });

const tombstonesTable = (table: PgTableFn, name: string) =>
  table(name, {
    userHash: exactTextColumn("user_hash").notNull(),
    digest: exactTextColumn("digest").notNull(),
    at: time("at").notNull(),
  });

const auditTable = (table: PgTableFn, name: string) =>
  table(name, {
    userHash: exactTextColumn("user_hash").notNull(),
    seq: countColumn("seq").notNull(),
    body: text("body").notNull(),
  });

const jobsTable = (table: PgTableFn, name: string) =>
  table(name, {
    userHash: exactTextColumn("user_hash").notNull(),
    id: exactTextColumn("id").notNull(),
    userId: text("user_id").notNull(),
    body: text("body").notNull(),
    attempts: countColumn("attempts").notNull(),
    readyAt: time("ready_at").notNull(),
  });

/** The names of a fact's fields, one for each column. */
export const factFields = Object.keys(factColumns) as readonly (keyof typeof factColumns)[];

/** The ends of the tables' names, after `tableName`. */
export const TABLE_SUFFIXES = {
  heads: "_heads",
  facts: "_facts",
  tombstones: "_fact_tombstones",
  audit: "_audit",
  jobs: "_jobs",
} as const;

/** The tables of user memory with their columns, for queries. */
export function createUserMemoryTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  return {
    heads: headsTable(table, `${tableName}${TABLE_SUFFIXES.heads}`),
    facts: factsTable(table, `${tableName}${TABLE_SUFFIXES.facts}`),
    tombstones: tombstonesTable(table, `${tableName}${TABLE_SUFFIXES.tombstones}`),
    audit: auditTable(table, `${tableName}${TABLE_SUFFIXES.audit}`),
    jobs: jobsTable(table, `${tableName}${TABLE_SUFFIXES.jobs}`),
  };
}

export type UserMemoryTables = ReturnType<typeof createUserMemoryTables>;
