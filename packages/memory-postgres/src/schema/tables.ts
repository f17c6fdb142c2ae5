import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  char,
  customType,
  type ExtraConfigColumn,
  index,
  jsonb,
  PgSchema,
  type PgTableFn,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import type { TableNames } from "./names.ts";

// Byte order: ids are compared exactly, and a system update that changes a locale can't corrupt their indexes.
const id = customType<{ data: string }>({ dataType: () => 'varchar(255) COLLATE "C"' });

// Milliseconds, as in a `Date`: a time that was read finds its conversation again.
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

const count = (name: string) => bigint(name, { mode: "number" });

const newestFirst = (columns: Record<"lastActivity" | "conversationId", ExtraConfigColumn>) =>
  [columns.lastActivity.desc().nullsFirst(), columns.conversationId.desc().nullsFirst()] as const;

const conversationsTable = (table: PgTableFn, name: string) =>
  table(
    name,
    {
      conversationId: id("conversation_id").primaryKey(),
      userId: id("user_id"),
      metadata: jsonb("metadata").default({}).notNull(),
      createdAt: time("created_at").defaultNow().notNull(),
      updatedAt: time("updated_at").defaultNow().notNull(),
      lastActivity: time("last_activity").defaultNow().notNull(),
      /** Messages ever appended: the sequence number of the last one. */
      version: count("version").default(0).notNull(),
      /** Messages stored now; they have the sequence numbers up to `version`, without a gap. */
      totalMessages: count("total_messages").default(0).notNull(),
      /** Writes ever made. The age of idempotency keys is counted in them. */
      writes: count("writes").default(0).notNull(),
      ttlSeconds: count("ttl_seconds"),
      expiresAt: time("expires_at"),
    },
    (columns) => [
      // These two list newest first, page by page, without a sort: a plain DESC puts nulls first.
      index(`idx_${name}_user_id`).on(columns.userId, ...newestFirst(columns)),
      index(`idx_${name}_last_activity`).on(...newestFirst(columns)),
      index(`idx_${name}_created_at`).on(columns.createdAt),
      index(`idx_${name}_metadata_gin`).using("gin", columns.metadata),
      // Partial: an append renews the row's entry in each index, and an equality implies the condition.
      index(`idx_${name}_trace_id`)
        .on(sql`(metadata->>'traceId')`)
        .where(sql`(metadata->>'traceId') IS NOT NULL`),
      index(`idx_${name}_expires_at`)
        .on(columns.expiresAt, columns.conversationId)
        .where(sql`expires_at IS NOT NULL`),
    ],
  );

// No foreign keys: they cost each append a look-up for each message. A trigger deletes what they would.
const messagesTable = (table: PgTableFn, name: string) =>
  table(
    name,
    {
      conversationId: id("conversation_id").notNull(),
      seq: count("seq").notNull(),
      /** JSON as text: jsonb would reorder keys and refuse an escaped NUL. */
      body: text("body").notNull(),
      isToolResult: boolean("is_tool_result").notNull(),
    },
    ({ conversationId, seq }) => [primaryKey({ name: `${name}_pkey`, columns: [conversationId, seq] })],
  );

/** Every trace that wrote to a conversation, also when its messages are trimmed or it wrote only metadata. */
const tracesTable = (table: PgTableFn, name: string) =>
  table(
    name,
    { conversationId: id("conversation_id").notNull(), traceId: id("trace_id").notNull() },
    ({ conversationId, traceId }) => [
      primaryKey({ name: `${name}_pkey`, columns: [conversationId, traceId] }),
      index(`idx_${name}_trace_id`).on(traceId),
    ],
  );

const keysTable = (table: PgTableFn, name: string) =>
  table(
    name,
    {
      conversationId: id("conversation_id").notNull(),
      idempotencyKey: id("idempotency_key").notNull(),
      bodyHash: char("body_hash", { length: 64 }).notNull(),
      writeNo: count("write_no").notNull(),
    },
    ({ conversationId, idempotencyKey }) => [
      primaryKey({ name: `${name}_pkey`, columns: [conversationId, idempotencyKey] }),
    ],
  );

/** The truth about the schema: the migrations are generated from it, and the queries take their names from it. */
export function createTables({ tableName, schema }: TableNames) {
  // Not `pgSchema`, which refuses an explicit "public".
  const table: PgTableFn =
    schema === undefined ? pgTable : (new PgSchema(schema).table as unknown as PgTableFn);
  return {
    conversations: conversationsTable(table, tableName),
    messages: messagesTable(table, `${tableName}_messages`),
    traces: tracesTable(table, `${tableName}_traces`),
    keys: keysTable(table, `${tableName}_keys`),
  };
}
