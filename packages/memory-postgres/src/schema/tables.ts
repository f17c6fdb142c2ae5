import { sql } from "drizzle-orm";
import { boolean, char, customType, jsonb, type PgTableFn, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { bytesColumn, countColumn, idColumn, tableIn } from "./columns.ts";
import type { TableNames } from "./names.ts";

const tombstoneKey = customType<{ data: string }>({ dataType: () => 'varchar(43) COLLATE "C"' });

// Milliseconds, as in a `Date`: a time that was read finds its conversation again.
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

const conversationsTable = (table: PgTableFn, name: string) =>
  table(name, {
    conversationId: idColumn("conversation_id").primaryKey(),
    userId: idColumn("user_id"),
    /** For people's own SQL too: what jsonb can't hold is U+FFFD in here. Without the fields of `run_metadata`. */
    metadata: jsonb("metadata").default({}).notNull(),
    /** The fields that change with each run: see `isRunField`. No index holds them. */
    runMetadata: jsonb("run_metadata").default({}).notNull(),
    /**
     * Those fields of the two above that jsonb can't hold as they are: JSON text of the name to JSON text of the value.
     * Null where there is none. A field in here takes the place of the one in `metadata`.
     */
    exactMetadata: jsonb("exact_metadata"),
    createdAt: time("created_at").defaultNow().notNull(),
    updatedAt: time("updated_at").defaultNow().notNull(),
    lastActivity: time("last_activity").defaultNow().notNull(),
    /** Random, from creation to deletion. */
    incarnation: idColumn("incarnation").default(sql`gen_random_uuid()::text`).notNull(),
    /** Changes of the messages. */
    version: countColumn("version").default(0).notNull(),
    /** Writes that carried metadata. */
    metadataVersion: countColumn("metadata_version").default(0).notNull(),
    /** The sequence number of the last message, from 1; a position, which begins with 0, is one less. */
    lastSeq: countColumn("last_seq").default(0).notNull(),
    /** Messages stored now; they have the sequence numbers up to `last_seq`, without a gap. */
    totalMessages: countColumn("total_messages").default(0).notNull(),
    /** Of the last message; null where it has none: see `HistoryReader`. */
    historyDigest: bytesColumn("history_digest"),
    /** What the last append began with; where it was of two messages, the digest of the first of them. */
    previousDigest: bytesColumn("previous_digest"),
    /** Of the last message that was trimmed or replaced; null: none was, and digests begin with the incarnation. */
    digestBase: bytesColumn("digest_base"),
    /** Writes ever made. The age of idempotency keys is counted in them. */
    writes: countColumn("writes").default(0).notNull(),
    ttlSeconds: countColumn("ttl_seconds"),
    expiresAt: time("expires_at"),
  });

const messagesTable = (table: PgTableFn, name: string) =>
  table(name, {
    conversationId: idColumn("conversation_id").notNull(),
    seq: countColumn("seq").notNull(),
    /** JSON as text: jsonb would reorder keys and refuse an escaped NUL. */
    body: text("body").notNull(),
    isToolResult: boolean("is_tool_result").notNull(),
    /** Of the history down to this message; null: written before digests were kept. */
    digest: bytesColumn("digest"),
    /** Given by the writer; null: none. */
    messageId: idColumn("message_id"),
    /** SHA-256 of the message, hex; there with `message_id`. */
    messageHash: char("message_hash", { length: 64 }),
  });

/** Every trace that wrote to a conversation, also when its messages are trimmed or it wrote only metadata. */
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
    /** The conversation's after the write. */
    lastSeq: countColumn("last_seq").notNull(),
  });

/** Tombstones: they contain no id, and outlive what was erased. */
const tombstonesTable = (table: PgTableFn, name: string) =>
  table(name, {
    /** SHA-256 of what was erased, base64url; made by the function `…_tombstone_key`. */
    key: tombstoneKey("key").primaryKey(),
    id: uuid("id").notNull(),
    expiresAt: time("expires_at").notNull(),
  });

/** The columns of the tables, for queries. Keys and indexes are in `migrations/conversations.ts`, which makes the tables. */
export function createTables(names: TableNames): Tables {
  const tables = made.get(names) ?? makeTables(names);
  made.set(names, tables);
  return tables;
}

type Tables = ReturnType<typeof makeTables>;

// All statements of one provider are about the same tables, whose making takes milliseconds.
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
