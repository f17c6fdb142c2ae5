import { sql } from "drizzle-orm";
import { boolean, char, customType, jsonb, type PgTableFn, text, timestamp, uuid } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";
import { childFunctions } from "./conversation-children.ts";
import { erasureFunctions } from "./conversation-erasure.ts";
import { triggers } from "./conversation-triggers.ts";
import { view } from "./conversation-view.ts";
import { writeFunctions } from "./conversation-write.ts";
import {
  bytesColumn,
  countColumn,
  DIVISION,
  ddl,
  hasFunction,
  idColumn,
  quotedName,
  type TableGroup,
  tableIn,
} from "./table-group.ts";

// The index of metadata doesn't contain the fields that change with each run, which may be large.
//
// There are no foreign keys, because each append would cost a look-up for each message. Instead, a trigger deletes the
// rows that belong to a deleted conversation.
const tablesSql = ddl`
CREATE TABLE "__p__" (
	"conversation_id" varchar(255) COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" varchar(255) COLLATE "C",
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"exact_metadata" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_activity" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"incarnation" varchar(255) COLLATE "C" DEFAULT gen_random_uuid()::text NOT NULL,
	"version" bigint DEFAULT 0 NOT NULL,
	"metadata_version" bigint DEFAULT 0 NOT NULL,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"total_messages" bigint DEFAULT 0 NOT NULL,
	"writes" bigint DEFAULT 0 NOT NULL,
	"ttl_seconds" bigint,
	"expires_at" timestamp (3) with time zone,
	"run_metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"history_digest" bytea,
	"previous_digest" bytea,
	"digest_base" bytea
)${DIVISION};
CREATE TABLE "__p___keys" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"idempotency_key" varchar(255) COLLATE "C" NOT NULL,
	"body_hash" char(64) NOT NULL,
	"write_no" bigint NOT NULL,
	"last_seq" bigint NOT NULL,
	CONSTRAINT "__p___keys_pkey" PRIMARY KEY ("conversation_id", "idempotency_key")
)${DIVISION};
CREATE TABLE "__p___messages" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"body" text NOT NULL,
	"is_tool_result" boolean NOT NULL,
	"message_id" varchar(255) COLLATE "C",
	"message_hash" char(64),
	"digest" bytea,
	CONSTRAINT "__p___messages_pkey" PRIMARY KEY ("conversation_id", "seq")
)${DIVISION};
CREATE TABLE "__p___traces" (
	"conversation_id" varchar(255) COLLATE "C" NOT NULL,
	"trace_id" varchar(255) COLLATE "C" NOT NULL,
	CONSTRAINT "__p___traces_pkey" PRIMARY KEY ("conversation_id", "trace_id")
)${DIVISION};
CREATE INDEX "idx___p___user_id" ON "__p__" ("user_id", "last_activity" DESC, "conversation_id" DESC);
CREATE INDEX "idx___p___last_activity" ON "__p__" ("last_activity" DESC, "conversation_id" DESC);
CREATE INDEX "idx___p___created_at" ON "__p__" ("created_at");
CREATE INDEX "idx___p___metadata_gin" ON "__p__" USING gin ("metadata");
CREATE INDEX "idx___p___expires_at" ON "__p__" ("expires_at", "conversation_id") WHERE expires_at IS NOT NULL;
CREATE INDEX "idx___p___trace_id" ON "__p___traces" ("trace_id");
CREATE UNIQUE INDEX "idx___p___messages_own_id" ON "__p___messages" ("conversation_id", "message_id")
WHERE message_id IS NOT NULL;

CREATE TABLE "__p___tombstones" (
	"key" varchar(43) COLLATE "C" PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
CREATE INDEX "idx___p___tombstones_expiry" ON "__p___tombstones" ("expires_at");
`;

const DIVISIBLE = ["", "_messages", "_traces", "_keys"];

// In the index by user, conversations without a parent come before the others, so a list of a user's conversations skips
// no children. The expression is boolean because for a column that is null, Postgres doesn't know that the rest of the
// index is in order. The index by parent has no entry for a conversation without a parent, so an append to it costs no more.
const parentsSql = ddl`
ALTER TABLE "__p__" ADD COLUMN "parent_id" varchar(255) COLLATE "C";
DROP INDEX "idx___p___user_id";
CREATE INDEX "idx___p___user_id" ON "__p__" ("user_id", ("parent_id" IS NULL), "last_activity" DESC, "conversation_id" DESC);
CREATE INDEX "idx___p___parent_id" ON "__p__" ("parent_id", "last_activity" DESC, "conversation_id" DESC)
WHERE parent_id IS NOT NULL;
`;

/** The group with the tables of conversations. */
export const conversationTables: TableGroup = {
  journalSuffix: "_migrations",
  tables: [...DIVISIBLE, "_tombstones"],
  divisible: { tables: DIVISIBLE, column: "conversation_id" },
  migrations: [
    { name: "initial", sql: tablesSql },
    { name: "parents", sql: parentsSql },
  ],
  functions: {
    sql: [writeFunctions, erasureFunctions, childFunctions, view, triggers].join("\n\n"),
    // A function contains the names of its tables. If the schema was renamed, these are the names of other tables.
    areOwn: (schema, tableName) =>
      hasFunction(
        schema,
        `${tableName}_write`,
        `strpos(prosrc, 'UPDATE ' || ${quotedName(schema)} || '."${tableName}" SET') > 0`,
      ),
  },
  remedy: "migrate(), or the script of printMigrations()",
};

const tombstoneKey = customType<{ data: string }>({ dataType: () => 'varchar(43) COLLATE "C"' });

// A column for a time in milliseconds, as in a `Date`: a query with a time that was read finds the same row again.
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

const conversationsTable = (table: PgTableFn, name: string) =>
  table(name, {
    conversationId: idColumn("conversation_id").primaryKey(),
    userId: idColumn("user_id"),
    /**
     * The metadata without the fields of `run_metadata`, for your own SQL. A character that jsonb can't hold is U+FFFD
     * here.
     */
    metadata: jsonb("metadata").default({}).notNull(),
    /** The metadata fields that change with each run: see `isRunField`. */
    runMetadata: jsonb("run_metadata").default({}).notNull(),
    /**
     * The fields of `metadata` and `run_metadata` that jsonb can't hold exactly: an object that maps the JSON text of
     * each name to the JSON text of its value. Null: there are no such fields.
     */
    exactMetadata: jsonb("exact_metadata"),
    createdAt: time("created_at").defaultNow().notNull(),
    updatedAt: time("updated_at").defaultNow().notNull(),
    lastActivity: time("last_activity").defaultNow().notNull(),
    /** A random id that the conversation has from its creation to its deletion. */
    incarnation: idColumn("incarnation").default(sql`gen_random_uuid()::text`).notNull(),
    /** Counts the changes of the conversation's messages. */
    version: countColumn("version").default(0).notNull(),
    /** Counts the writes that contain metadata. */
    metadataVersion: countColumn("metadata_version").default(0).notNull(),
    /** The sequence number of the last message: its position plus 1. */
    lastSeq: countColumn("last_seq").default(0).notNull(),
    /** The digest of the last message: see `HistoryReader`. Null: the message has no digest. */
    totalMessages: countColumn("total_messages").default(0).notNull(),
    /** The digest of the last message: see `HistoryReader`. Null if the message has no digest. */
    historyDigest: bytesColumn("history_digest"),
    /**
     * The digest of the conversation before its last append. If that append had two messages, the digest of the first
     * one.
     */
    // The SQL function `<table>_write` needs it to store the digest of each new message.
    previousDigest: bytesColumn("previous_digest"),
    /** The digest of the last message that was trimmed or replaced. Null: there was none. */
    digestBase: bytesColumn("digest_base"),
    /** Counts all writes. */
    // The age of an idempotency key is measured in writes.
    writes: countColumn("writes").default(0).notNull(),
    ttlSeconds: countColumn("ttl_seconds"),
    /** The id of the conversation that this one is a child of. Null: it isn't a child. */
    parentId: idColumn("parent_id"),
    expiresAt: time("expires_at"),
  });

const messagesTable = (table: PgTableFn, name: string) =>
  table(name, {
    conversationId: idColumn("conversation_id").notNull(),
    seq: countColumn("seq").notNull(),
    /** The message as JSON text. */
    // jsonb would reorder the keys and refuse an escaped NUL.
    body: text("body").notNull(),
    isToolResult: boolean("is_tool_result").notNull(),
    /** The digest of the history up to this message. Null: the message was written before digests existed. */
    digest: bytesColumn("digest"),
    /** The message's own id, given by its writer. Null: the message has none. */
    messageId: idColumn("message_id"),
    /** The SHA-256 of the message in hex. Null: the message has no own id. */
    messageHash: char("message_hash", { length: 64 }),
  });

/** All traces that wrote to a conversation, even if they wrote only metadata. */
const tracesTable = (table: PgTableFn, name: string) =>
  table(name, {
    conversationId: idColumn("conversation_id").notNull(),
    traceId: idColumn("trace_id").notNull(),
  });

const keysTable = (table: PgTableFn, name: string) =>
  table(name, {
    conversationId: idColumn("conversation_id").notNull(),
    idempotencyKey: idColumn("idempotency_key").notNull(),
    bodyHash: char("body_hash", { length: 64 }).notNull(),
    writeNo: countColumn("write_no").notNull(),
    /** The sequence number of the conversation's last message after the write. */
    lastSeq: countColumn("last_seq").notNull(),
  });

/** The tombstones. They contain neither the id of the erased conversation nor that of the user. */
const tombstonesTable = (table: PgTableFn, name: string) =>
  table(name, {
    /** The SHA-256 of the erased conversation's or user's id, as base64url. */
    key: tombstoneKey("key").primaryKey(),
    id: uuid("id").notNull(),
    expiresAt: time("expires_at").notNull(),
  });

/** The tables of conversations with their columns, for queries. */
export function createConversationTables(names: TableNames): Tables {
  const tables = made.get(names) ?? makeTables(names);
  made.set(names, tables);
  return tables;
}

type Tables = ReturnType<typeof makeTables>;

// All statements of a provider use the same tables, and creating these objects takes milliseconds.
const made = new WeakMap<TableNames, Tables>();

function makeTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  return {
    conversations: conversationsTable(table, tableName),
    messages: messagesTable(table, `${tableName}_messages`),
    traces: tracesTable(table, `${tableName}_traces`),
    keys: keysTable(table, `${tableName}_keys`),
    tombstones: tombstonesTable(table, `${tableName}_tombstones`),
  };
}
