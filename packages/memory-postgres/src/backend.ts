import type { ConversationWrite, MemoryBackend, WriteOutcome } from "@jaf/memory";
import { createBulk } from "./bulk.ts";
import { toMemoryError } from "./errors.ts";
import { createQueries, createWriteCall } from "./queries.ts";
import {
  fromLast,
  fromParts,
  toStats,
  toStoredConversation,
  toWriteOutcome,
  writeArguments,
} from "./rows.ts";
import type { ResolvedNames } from "./schema/names.ts";
import type { SqlClient, SqlRow, Statement } from "./sql-client.ts";
import { createTidying } from "./tidying.ts";
import { createWriteGroups } from "./write-groups.ts";

export interface PostgresBackendOptions {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
  /** Closes what was opened for this backend. */
  readonly close: () => Promise<void>;
  /** More bytes of messages are not read at once. */
  readonly maxReadBytes?: number;
  readonly pingTimeoutMs?: number;
}

const PING_TIMEOUT_MS = 5_000;

// JavaScript's strings end at 512 MB, and the driver can't be stopped from making one of what it gets.
const MAX_READ_BYTES = 400_000_000;

/** Also where the statement never comes to run, since every connection of a pool is busy. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("Query read timeout")), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The storage port on Postgres: one statement, one round trip for each call, but for `clearUser`, the tidying, and
 * appends on a busy pool, several of which share one.
 */
export function createPostgresBackend(options: PostgresBackendOptions): MemoryBackend {
  const { sql, names, close, maxReadBytes = MAX_READ_BYTES, pingTimeoutMs = PING_TIMEOUT_MS } = options;
  const queries = createQueries(names, maxReadBytes);
  const callWrite = createWriteCall(names);
  const bulk = createBulk(sql, names);

  async function only(statement: Statement): Promise<SqlRow> {
    const [row] = await sql.query(statement);
    if (row === undefined) throw new TypeError("a row was expected");
    return row;
  }

  // Not in a transaction of the application, which would keep what expired locked.
  const tidy = sql.autocommit ? createTidying(bulk) : async () => {};

  const writeOne = async (write: ConversationWrite): Promise<WriteOutcome> =>
    toWriteOutcome(await only(callWrite(writeArguments(write))));

  // On a single connection nothing is gained, and the statements may belong to a transaction of the application.
  const queue = sql.concurrent ? createWriteGroups({ sql, names }, writeOne) : undefined;

  return {
    name: "postgres",
    write: async (conversationWrite) => {
      const outcome = await (queue ? queue.add(conversationWrite) : writeOne(conversationWrite));
      if (conversationWrite.ttlSeconds !== undefined) await tidy();
      return outcome;
    },
    read: async (conversationId, last) =>
      last === undefined
        ? fromParts(conversationId, await sql.query(queries.readAll(conversationId)))
        : fromLast(conversationId, await sql.query(queries.readLast(conversationId, last))),
    find: async (query) => (await sql.query(queries.find(query))).map(toStoredConversation),
    delete: async (conversationId) => {
      const [row] = await sql.query(queries.delete(conversationId));
      return row?.["was_live"] === "true";
    },
    clearUser: bulk.clearUser,
    stats: async (userId) => toStats(await only(queries.stats(userId))),
    ping: async () => {
      await within(pingTimeoutMs, sql.query({ text: "SELECT 1", values: [], timeoutMs: pingTimeoutMs }));
    },
    close: async () => {
      await queue?.drained();
      await close();
    },
    toMemoryError,
  };
}
