import { bigint, doublePrecision, integer, type PgTableFn, real, text } from "drizzle-orm/pg-core";
import { bytesColumn, countColumn, exactTextColumn, tableIn } from "../schema/columns.ts";
import type { TableNames } from "../schema/names.ts";

/** In milliseconds since 1970, as the shared code reckons: exact for every date that JavaScript has. */
const time = countColumn;

/** One row a user, which outlives the user's facts: so it holds a hash of the user's id, and never the id. */
const headsTable = (table: PgTableFn, name: string) =>
  table(name, {
    userHash: exactTextColumn("user_hash").primaryKey(),
    /** 0: nothing was written yet; the row is there to be locked. */
    version: countColumn("version").notNull(),
    epoch: countColumn("epoch").notNull(),
    state: text("state").notNull(),
    /** How many of the user's facts have terms. */
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
  /** Of the terms, in their order. */
  weights: integer("weights").array().notNull(),
  /** Hashes of user and term: so one index serves all users, holds no word, and finds those of one user. */
  termKeys: bigint("term_keys", { mode: "bigint" }).array().notNull(),
  /** Of a store that compares them by pgvector; else empty. */
  vector: real("vector").array(),
  /** Of one that doesn't: four bytes for each number, the lowest first. */
  packedVector: bytesColumn("packed_vector"),
};

const factsTable = (table: PgTableFn, name: string) =>
  table(name, {
    userHash: exactTextColumn("user_hash").notNull(),
    /** For people's own SQL. */
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

/** The columns of the tables, for queries; see `migrations/user-memory.ts`. */
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
