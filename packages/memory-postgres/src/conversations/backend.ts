import { type MemoryBackend, TOMBSTONE_SECONDS, type TurnBeginner, withDeadline } from "@jaf/memory/adapter";
import { and, eq, sql } from "drizzle-orm";
import type { PostgresClient, SqlClient } from "../client/clients.ts";
import type { Statement } from "../client/statement.ts";
import { millisecondsOf, only, toStatement, toWrite } from "../client/statements.ts";
import { toMemoryError } from "../errors.ts";
import type { ResolvedNames } from "../table-names.ts";
import { TurnLogPlace } from "../turn-log/place.ts";
import { createBatchDeletion, createSweep, type DeletionLimit } from "./erasure.ts";
import { createFindQuery } from "./listing.ts";
import { createHistoryQuery, createReading, toHistory } from "./read.ts";
import { conversationQueryParts, toStats, toStoredConversation } from "./rows.ts";
import { createWriting } from "./write.ts";

export interface ConversationBackendOptions {
  /** The client that `sql` uses. Absent: no write can begin a turn. */
  readonly client?: PostgresClient;
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
  /** Closes the pool if the store opened it. A client that the application passed in stays open. */
  readonly close: () => Promise<void>;
  /** The maximum size of the messages in one read, in bytes. */
  readonly maxReadBytes?: number;
  readonly pingTimeoutMs?: number;
}

const PING_TIMEOUT_MS = 5_000;

// The driver converts a value into one string, and JavaScript's strings are limited to 512 MB.
const MAX_READ_BYTES = 400_000_000;

/** Rejects after `timeoutMs`, even if no connection of the pool was free to send the ping. */
const pingWithin = <T>(timeoutMs: number, ping: Promise<T>): Promise<T> =>
  withDeadline(ping, { timeoutMs, timeoutError: () => new Error("Query read timeout") });

// Deleting this much takes about 20 ms.
const EXPIRED_AT_ONCE: DeletionLimit = { conversations: 20, messages: 2_000 };
const TOMBSTONES_AT_ONCE = 1_000;

/** Creates the backend for conversations on Postgres. Most calls are one statement in one round trip. */
export function createConversationBackend(options: ConversationBackendOptions): MemoryBackend & TurnBeginner {
  const {
    client,
    sql,
    names,
    close,
    maxReadBytes = MAX_READ_BYTES,
    pingTimeoutMs = PING_TIMEOUT_MS,
  } = options;
  const queries = createQueries(names, maxReadBytes);
  const batchDeletion = createBatchDeletion(sql, names);

  // Not within a transaction of the application, which would keep expired rows locked.
  const sweeping = (sweepSome: () => Promise<boolean>) =>
    sql.autocommit ? createSweep(sweepSome) : async () => {};
  const sweepExpired = sweeping(() => batchDeletion.sweepSome("expired", EXPIRED_AT_ONCE));
  const writing = createWriting(sql, names, sweepExpired);
  const sweepTombstones = sweeping(() => batchDeletion.sweepTombstones(TOMBSTONES_AT_ONCE));

  return {
    name: "postgres",
    write: writing.write,
    canBegin: ({ place }) => place instanceof TurnLogPlace && place.client === client && sql.autocommit,
    read: createReading(sql, names, maxReadBytes),
    history: {
      algorithm: "sha256",
      read: async (request) => toHistory((await sql.query(queries.history(request)))[0]),
    },
    find: async (query) => (await sql.query(queries.find(query))).map(toStoredConversation),
    delete: async (conversationId) => {
      const row = only(await sql.query(queries.delete(conversationId)));
      await sweepTombstones();
      return row["was_live"] === "true";
    },
    clearUser: async (userId) => {
      await sql.query(queries.clear(userId));
      const cleared = await batchDeletion.clearUser(userId);
      await sweepTombstones();
      return cleared;
    },
    stats: async (userId) => toStats(only(await sql.query(queries.stats(userId)))),
    ping: async () => {
      await pingWithin(pingTimeoutMs, sql.query({ text: "SELECT 1", values: [], timeoutMs: pingTimeoutMs }));
    },
    close: async () => {
      // A pool that has ended doesn't serve writes that still wait for a connection.
      await writing.written();
      await close();
    },
    toMemoryError,
  };
}

/** Creates the statements that list, count and delete conversations, and the statement of a `HistoryReader`. */
export function createQueries(names: ResolvedNames, maxReadBytes: number) {
  const parts = conversationQueryParts(names, maxReadBytes);
  const { conversation, functionName } = parts;
  const { columns: conversations, source, live, isRoot } = conversation;

  return {
    find: createFindQuery(parts),
    history: createHistoryQuery(parts),

    /** Calls the SQL function `<table>_delete`, which deletes a conversation. */
    delete: (id: string): Statement =>
      toWrite(sql`
        SELECT ${sql.raw(functionName("_delete"))}(${id}::text, ${TOMBSTONE_SECONDS}::bigint)::text AS was_live`),

    /** Calls the SQL function `<table>_clear`, which leaves a tombstone of a user. */
    clear: (userId: string): Statement =>
      toWrite(
        sql`SELECT FROM ${sql.raw(functionName("_clear"))}(${userId}::text, ${TOMBSTONE_SECONDS}::bigint)`,
      ),

    stats: (userId?: string): Statement =>
      toStatement(sql`
        SELECT count(*)::text AS conversations,
          coalesce(sum(${conversations.totalMessages}), 0)::text AS messages,
          ${millisecondsOf(sql`min(${conversations.createdAt})`)} AS oldest,
          ${millisecondsOf(sql`max(${conversations.createdAt})`)} AS newest
        FROM ${source}
        WHERE ${and(live, isRoot, userId === undefined ? undefined : eq(conversations.userId, userId))}`),
  };
}
