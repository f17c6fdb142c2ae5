import { sql } from "drizzle-orm";
import { bigint, boolean, integer, type PgTableFn, real } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";
import { bytesColumn, countColumn, ddl, idColumn, type TableGroup, tableIn } from "./table-group.ts";

// The foreign keys make sure, for every writer, that no entry outlives its conversation. An append to a conversation
// costs no look-up: only its deletion and the first entry of the conversation do.
//
// The index of the terms has a short list of pending entries: without a list, writing takes twice as long, and every
// search reads the whole list.
const tablesSql = ddl`
CREATE TABLE "__p___indexed" (
	"id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"incarnation" varchar(255) COLLATE "C" NOT NULL,
	"version" bigint NOT NULL,
	"last_seq" bigint NOT NULL,
	"digest" bytea,
	"next_number" bigint NOT NULL,
	"passages" bigint NOT NULL,
	CONSTRAINT "__p___indexed_key" UNIQUE ("conversation_id"),
	CONSTRAINT "__p___indexed_conversation" FOREIGN KEY ("conversation_id")
		REFERENCES "public"."__p__" ("conversation_id") ON DELETE CASCADE
);
CREATE TABLE "__p___passages" (
	"indexed_id" bigint NOT NULL,
	"user_key" bigint NOT NULL,
	"position" bigint NOT NULL,
	"number" bigint NOT NULL,
	"lot" real DEFAULT random() NOT NULL,
	"length" integer NOT NULL,
	"is_assistant" boolean NOT NULL,
	"terms" integer[] NOT NULL,
	CONSTRAINT "__p___passages_pkey" PRIMARY KEY ("indexed_id", "position", "number"),
	CONSTRAINT "__p___passages_indexed" FOREIGN KEY ("indexed_id")
		REFERENCES "public"."__p___indexed" ("id") ON DELETE CASCADE
);
CREATE INDEX "idx___p___passages_lot" ON "__p___passages" ("user_key", "lot");
CREATE INDEX "idx___p___passages_terms" ON "__p___passages" USING gin ("terms")
	WITH (fastupdate = true, gin_pending_list_limit = 512);
-- Statistics keep samples of a column's values, even after the values were deleted. So there are none of what was said.
ALTER TABLE "__p___passages" ALTER COLUMN "terms" SET STATISTICS 0;
ALTER TABLE "__p___indexed" ALTER COLUMN "conversation_id" SET STATISTICS 0;
`;

/** The group with the tables of a message index. They refer to the tables of conversations. */
export const messageIndexTables: TableGroup = {
  journalSuffix: "_index_migrations",
  tables: ["_indexed", "_passages"],
  migrations: [{ name: "initial", sql: tablesSql }],
  remedy: 'migrate(), or the script of printMigrations(), with `groups: ["conversations", "message-index"]`',
};

/** The indexed conversations: how far each one is indexed. */
const indexedTable = (table: PgTableFn, name: string) =>
  table(name, {
    id: bigint("id", { mode: "number" }).primaryKey(),
    conversationId: idColumn("conversation_id").notNull(),
    /** The incarnation and the version of the conversation when the last entry was written. */
    incarnation: idColumn("incarnation").notNull(),
    version: countColumn("version").notNull(),
    /** The sequence number of the last indexed message. */
    lastSeq: countColumn("last_seq").notNull(),
    /** The digest of that message. While the message has this digest, no message before it was replaced. */
    digest: bytesColumn("digest"),
    /** The number of the next passage. */
    nextNumber: countColumn("next_number").notNull(),
    passages: countColumn("passages").notNull(),
  });

/** The passages of messages: of each one only hashes of its words. */
const passagesTable = (table: PgTableFn, name: string) =>
  table(name, {
    indexedId: countColumn("indexed_id").notNull(),
    /** A hash of the user's id. */
    userKey: bigint("user_key", { mode: "bigint" }).notNull(),
    position: countColumn("position").notNull(),
    /** Counts the passages of the conversation, from 0. */
    number: countColumn("number").notNull(),
    /** A random number. The passages of a user with the lowest ones are a random sample. */
    lot: real("lot").default(sql`random()`).notNull(),
    /** The number of different terms. */
    length: integer("length").notNull(),
    isAssistant: boolean("is_assistant").notNull(),
    /** Hashes of the user and each term. A term that occurs several times is listed as often. */
    terms: integer("terms").array().notNull(),
  });

/** The tables of a message index with their columns, for queries. */
export function createMessageIndexTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  return {
    indexed: indexedTable(table, `${tableName}_indexed`),
    passages: passagesTable(table, `${tableName}_passages`),
  };
}
