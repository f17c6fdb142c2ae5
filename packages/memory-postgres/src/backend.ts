import type { MemoryBackend } from "@jaf/memory";
import { toMemoryError } from "./errors.ts";
import { CLEAR_BATCH, createQueries, createWriteCall } from "./queries.ts";
import { toStats, toStoredConversation, toWriteOutcome, writeArguments } from "./rows.ts";
import type { ResolvedNames } from "./schema/names.ts";
import type { SqlClient, SqlRow, Statement } from "./sql-client.ts";

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

/** The storage port on Postgres: one statement, one round trip for each call, `clearUser` apart. */
export function createPostgresBackend(options: PostgresBackendOptions): MemoryBackend {
  const { sql, names, close, maxReadBytes = MAX_READ_BYTES, pingTimeoutMs = PING_TIMEOUT_MS } = options;
  const queries = createQueries(names, maxReadBytes);
  const callWrite = createWriteCall(names);

  async function only(statement: Statement): Promise<SqlRow> {
    const [row] = await sql.query(statement);
    if (row === undefined) throw new TypeError("a row was expected");
    return row;
  }

  async function clearUser(userId: string): Promise<number> {
    let cleared = 0;
    for (;;) {
      const row = await only(queries.clearUser(userId));
      cleared += Number(row["were_live"]);
      if (Number(row["deleted"]) < CLEAR_BATCH) return cleared;
    }
  }

  return {
    name: "postgres",
    write: async (conversationWrite) =>
      toWriteOutcome(await only(callWrite(writeArguments(conversationWrite)))),
    read: async (conversationId, last) => {
      const [row] = await sql.query(queries.read(conversationId, last));
      return row === undefined ? null : toStoredConversation(row);
    },
    find: async (query) => (await sql.query(queries.find(query))).map(toStoredConversation),
    delete: async (conversationId) => {
      const [row] = await sql.query(queries.delete(conversationId));
      return row?.["was_live"] === "true";
    },
    clearUser,
    stats: async (userId) => toStats(await only(queries.stats(userId))),
    ping: async () => {
      await within(pingTimeoutMs, sql.query({ text: "SELECT 1", values: [], timeoutMs: pingTimeoutMs }));
    },
    close,
    toMemoryError,
  };
}
