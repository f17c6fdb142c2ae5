import type { Inbox, InboxEntry } from "@jaf/memory";
import {
  createKeyedQueue,
  defineInbox,
  type InboxBackend,
  parseInboxCursor,
  toInboxCursor,
  type WaitingInbox,
} from "@jaf/memory/adapter";
import * as z from "zod";
import type { PostgresClient, SqlClient } from "../client/clients.ts";
import type { SqlRow, Statement } from "../client/statement.ts";
import { only } from "../client/statements.ts";
import { type PostgresConfig, parseConfig } from "../config.ts";
import { Contention, toMemoryError } from "../errors.ts";
import { inboxTables } from "../migrations/inbox.ts";
import { openStore, requireClient } from "../open-store.ts";
import type { ResolvedNames } from "../table-names.ts";
import { createInboxStatements } from "./statements.ts";

/**
 * Creates an inbox in tables of Postgres or PGlite that all processes share. Creates the tables if they are missing.
 * `client` is a `Pool`, a connected `Client` or a PGlite, and is never closed. The tables' names begin with the
 * `tableName` of the conversations: `conversations_inboxes` and `conversations_inbox_entries`. Each call is one
 * statement, which is sent again if another process changed the same inbox at the same moment. All times are those of
 * the database.
 *
 * On a pool and on PGlite, a put removes some keys that are older than 24 hours. With a `Client`, calls within a
 * transaction of the application are part of that transaction. Until it ends, puts of other processes into the same
 * inboxes wait.
 *
 * Rejects with a `TypeError` for an invalid client or option, and with a `MemorySetupError` if the tables can't be
 * created or found.
 *
 * @example
 * ```ts
 * import { createPostgresInbox } from "@jaf/memory-postgres";
 * import { Pool } from "pg";
 *
 * const inbox = await createPostgresInbox({ schema: "memory" }, new Pool());
 * const ids = { conversationId: "conv-123", userId: "user-456" };
 * await inbox.put({ ...ids, key: crypto.randomUUID(), content: '"And make it short."' });
 * ```
 */
export async function createPostgresInbox(
  config: Pick<PostgresConfig, "tableName" | "schema" | "migrate">,
  client: PostgresClient,
): Promise<Inbox> {
  const operation = "createPostgresInbox";
  requireClient(client, operation);
  const opening = { settings: parseConfig(config), client, group: inboxTables, operation };
  return openStore(opening, (tables) => defineInbox(createInboxBackend(tables)));
}

interface InboxTables {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
}

// The maximum number of attempts to change an inbox. Each attempt fails only if another process changed the same inbox
// meanwhile.
const ATTEMPTS = 100;

/** Creates the backend of an inbox on existing tables. */
function createInboxBackend({ sql, names }: InboxTables): InboxBackend {
  const statements = createInboxStatements(names, { forgets: sql.autocommit });
  const write = (statement: Statement) => sql.query({ ...statement, writes: true });
  const erase = async (statement: Statement) => Number(only(await write(statement))["erased"]);
  // Only one change per inbox is sent at a time. So the changes of this process don't make each other fail, and a locked
  // inbox occupies only one connection of a pool. A single connection does this anyway.
  const queue = sql.concurrent ? createKeyedQueue() : undefined;

  /** Sends a statement until it returns a row. */
  async function repeat(statement: Statement): Promise<SqlRow> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const [row] = await write(statement);
      if (row !== undefined) return row;
    }
    throw new Contention("others change the inbox of the conversation constantly");
  }

  const change = (conversationId: string, statement: Statement): Promise<SqlRow> =>
    queue === undefined ? repeat(statement) : queue.run(conversationId, () => repeat(statement));

  return {
    name: "postgres",

    put: async ({ conversationId, userId, key, content }) => {
      const statement = statements.put({ conversationId, userId, key, content });
      const { outcome, epoch, number } = await change(conversationId, statement);
      if (outcome === "full") return "full";
      const cursor = toInboxCursor({ epoch: epoch ?? "", number: Number(number) });
      return { cursor, isNew: outcome === "new" };
    },

    read: async ({ conversationId, after, limit }) => {
      const { epoch, number } = parseInboxCursor(after);
      const rows = await sql.query(statements.read({ conversationId, epoch, number, limit }));
      return rows.map((row) => toEntry(conversationId, row));
    },

    remove: async ({ conversationId, upTo }) => {
      const { epoch, number } = parseInboxCursor(upTo);
      const row = await change(conversationId, statements.remove({ conversationId, epoch, number }));
      return Number(row["removed"]);
    },

    waiting: async ({ userId, limit }) => {
      const statement =
        userId === undefined ? statements.waiting({ limit }) : statements.waitingOf({ userId, limit });
      return (await sql.query(statement)).map(toWaiting);
    },

    deleteConversation: (conversationId) => erase(statements.deleteConversation({ conversationId })),
    deleteUser: (userId) => erase(statements.deleteUser({ userId })),
    close: async () => queue?.runAlone(async () => {}),
    toMemoryError,
  };
}

const entrySchema = z.object({
  userId: z.string(),
  epoch: z.string(),
  number: z.number(),
  key: z.string(),
  content: z.string(),
  receivedAt: z.number(),
});

/** Converts the JSON in the column `entry` of a row into an entry. */
function toEntry(conversationId: string, row: SqlRow): InboxEntry {
  const { epoch, number, receivedAt, ...entry } = entrySchema.parse(JSON.parse(row["entry"] ?? "null"));
  return {
    conversationId,
    ...entry,
    cursor: toInboxCursor({ epoch, number }),
    receivedAt: new Date(receivedAt),
  };
}

const waitingSchema = z.object({
  conversationId: z.string(),
  userId: z.string(),
  entries: z.number(),
  since: z.number(),
});

/** Converts the JSON in the column `waiting` of a row. */
function toWaiting(row: SqlRow): WaitingInbox {
  const { since, ...inbox } = waitingSchema.parse(JSON.parse(row["waiting"] ?? "null"));
  return { ...inbox, since: new Date(since) };
}
