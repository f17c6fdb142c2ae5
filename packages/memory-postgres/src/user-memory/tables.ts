import { sql } from "drizzle-orm";
import {
  bigint,
  customType,
  doublePrecision,
  index,
  integer,
  PgSchema,
  type PgTableFn,
  pgTable,
  primaryKey,
  real,
  text,
} from "drizzle-orm/pg-core";
import type { TableNames } from "../schema/names.ts";

// Byte order: compared exactly, and a system update that changes a locale can't corrupt the indexes.
const id = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

const count = (name: string) => bigint(name, { mode: "number" });

/** In milliseconds since 1970, as the shared code reckons: exact for every date that JavaScript has. */
const time = count;

/** One row a user, which outlives the user's facts: so it holds a hash of the user's id, and never the id. */
const headsTable = (table: PgTableFn, name: string) =>
  table(name, {
    userHash: id("user_hash").primaryKey(),
    /** 0: nothing was written yet; the row is there to be locked. */
    version: count("version").notNull(),
    epoch: count("epoch").notNull(),
    state: text("state").notNull(),
    /** How many of the user's facts have terms. */
    documents: count("documents").notNull(),
  });

const factColumns = {
  seq: count("seq").notNull(),
  id: id("id").notNull(),
  fact: text("fact").notNull(),
  tags: text("tags").array().notNull(),
  score: doublePrecision("score"),
  trust: text("trust").notNull(),
  status: id("status").notNull(),
  quarantine: text("quarantine"),
  digest: id("digest").notNull(),
  key: id("key"),
  conversationId: id("conversation_id"),
  position: count("position"),
  messageId: text("message_id"),
  author: text("author"),
  extractor: text("extractor"),
  evidence: text("evidence"),
  saidAt: time("said_at"),
  createdAt: time("created_at").notNull(),
  updatedAt: time("updated_at"),
  validFrom: time("valid_from").notNull(),
  validUntil: time("valid_until"),
  supersededBy: id("superseded_by"),
  supersededAt: time("superseded_at"),
  conflictsWith: text("conflicts_with"),
  terms: text("terms").array().notNull(),
  /** Of the terms, in their order. */
  weights: integer("weights").array().notNull(),
  /** Hashes of user and term: so one index serves all users, holds no word, and finds those of one user. */
  termKeys: bigint("term_keys", { mode: "bigint" }).array().notNull(),
  /** Of a store that compares them by pgvector; else empty. */
  vector: real("vector").array(),
  /** Of one that doesn't: four bytes for each number, the lowest first. */
  packedVector: bytes("packed_vector"),
};

const factsTable = (table: PgTableFn, name: string) =>
  table(
    name,
    {
      userHash: id("user_hash").notNull(),
      /** For people's own SQL. */
      userId: text("user_id").notNull(),
      ...factColumns,
    },
    (fact) => [
      primaryKey({ name: `${name}_pkey`, columns: [fact.userHash, fact.seq] }),
      index(`idx_${name}_id`).on(fact.userHash, fact.id),
      index(`idx_${name}_digest`).on(fact.userHash, fact.digest),
      index(`idx_${name}_key`).on(fact.userHash, fact.key, fact.status).where(sql`key IS NOT NULL`),
      index(`idx_${name}_place`)
        .on(fact.userHash, fact.conversationId, fact.position)
        .where(sql`conversation_id IS NOT NULL`),
      index(`idx_${name}_superseder`)
        .on(fact.userHash, fact.supersededBy)
        .where(sql`superseded_by IS NOT NULL`),
      index(`idx_${name}_status`).on(fact.userHash, fact.status, fact.seq),
      index(`idx_${name}_vector`).on(fact.userHash, fact.seq).where(sql`vector IS NOT NULL`),
      index(`idx_${name}_packed`).on(fact.userHash, fact.seq).where(sql`packed_vector IS NOT NULL`),
      // Without the list of pending entries, which every search would have to walk.
      index(`idx_${name}_terms`).using("gin", fact.termKeys).with({ fastupdate: false }),
    ],
  );

const tombstonesTable = (table: PgTableFn, name: string) =>
  table(
    name,
    { userHash: id("user_hash").notNull(), digest: id("digest").notNull(), at: time("at").notNull() },
    ({ userHash, digest }) => [primaryKey({ name: `${name}_pkey`, columns: [userHash, digest] })],
  );

const auditTable = (table: PgTableFn, name: string) =>
  table(
    name,
    { userHash: id("user_hash").notNull(), seq: count("seq").notNull(), body: text("body").notNull() },
    ({ userHash, seq }) => [primaryKey({ name: `${name}_pkey`, columns: [userHash, seq] })],
  );

const jobsTable = (table: PgTableFn, name: string) =>
  table(
    name,
    {
      userHash: id("user_hash").notNull(),
      id: id("id").notNull(),
      userId: text("user_id").notNull(),
      body: text("body").notNull(),
      attempts: count("attempts").notNull(),
      readyAt: time("ready_at").notNull(),
    },
    (job) => [
      primaryKey({ name: `${name}_pkey`, columns: [job.userHash, job.id] }),
      index(`idx_${name}_ready_at`).on(job.readyAt),
    ],
  );

/** The columns that hold a fact, by the fields of what is stored in them. */
export const factFields = Object.keys(factColumns) as readonly (keyof typeof factColumns)[];

/** The ends of the tables' names, after the prefix. */
export const TABLE_SUFFIXES = {
  heads: "_heads",
  facts: "_facts",
  tombstones: "_fact_tombstones",
  audit: "_audit",
  jobs: "_jobs",
} as const;

/** The truth about the schema, as `schema/tables.ts` is of the conversations'. */
export function createUserMemoryTables({ tableName, schema }: TableNames) {
  // Not `pgSchema`, which refuses an explicit "public".
  const table: PgTableFn =
    schema === undefined ? pgTable : (new PgSchema(schema).table as unknown as PgTableFn);
  return {
    heads: headsTable(table, `${tableName}${TABLE_SUFFIXES.heads}`),
    facts: factsTable(table, `${tableName}${TABLE_SUFFIXES.facts}`),
    tombstones: tombstonesTable(table, `${tableName}${TABLE_SUFFIXES.tombstones}`),
    audit: auditTable(table, `${tableName}${TABLE_SUFFIXES.audit}`),
    jobs: jobsTable(table, `${tableName}${TABLE_SUFFIXES.jobs}`),
  };
}

export type UserMemoryTables = ReturnType<typeof createUserMemoryTables>;
