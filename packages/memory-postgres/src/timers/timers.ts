import type { Timer, Timers } from "@jaf/memory";
import { defineTimers, type TimersBackend } from "@jaf/memory/adapter";
import * as z from "zod";
import { hasCode, type PostgresClient, type SqlClient } from "../client/clients.ts";
import type { SqlRow, Statement } from "../client/statement.ts";
import { only } from "../client/statements.ts";
import { type PostgresConfig, parseConfig } from "../config.ts";
import { Contention, toMemoryError } from "../errors.ts";
import { timerTables } from "../migrations/timers.ts";
import { openStore, requireClient } from "../open-store.ts";
import type { ResolvedNames } from "../table-names.ts";
import { createTimerStatements } from "./statements.ts";

/**
 * Creates timers in a table of Postgres or PGlite that all processes share. Creates the table if it is missing.
 * `client` is a `Pool`, a connected `Client` or a PGlite, and is never closed. The table's name begins with the
 * `tableName` of the conversations: `conversations_timers`. Each call is one statement. Whether a timer is due is
 * decided by the clock of the database.
 *
 * With a `Client`, calls within a transaction of the application are part of that transaction.
 *
 * Rejects with a `TypeError` for an invalid client or option, and with a `MemorySetupError` if the table can't be
 * created or found.
 *
 * @example
 * ```ts
 * import { createPostgresTimers } from "@jaf/memory-postgres";
 * import { Pool } from "pg";
 *
 * const timers = await createPostgresTimers({ schema: "memory" }, new Pool());
 * const ids = { conversationId: "conv-123", timerId: "reminder", userId: "user-456" };
 * await timers.set({ ...ids, at: new Date(Date.now() + 3_600_000), content: '"Call the dentist."' });
 * ```
 */
export async function createPostgresTimers(
  config: Pick<PostgresConfig, "tableName" | "schema" | "migrate">,
  client: PostgresClient,
): Promise<Timers> {
  const operation = "createPostgresTimers";
  requireClient(client, operation);
  const opening = { settings: parseConfig(config), client, group: timerTables, operation };
  return openStore(opening, (table) => defineTimers(createTimersBackend(table)));
}

interface TimerTable {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
}

// The maximum number of attempts to set a timer. Each attempt fails only if another call set a timer of the same user, or
// changed the same timer, meanwhile.
const ATTEMPTS = 100;

const UNIQUE_VIOLATION = new Set<unknown>(["23505"]);

/** Creates the backend of timers on an existing table. */
function createTimersBackend({ sql, names }: TimerTable): TimersBackend {
  const statements = createTimerStatements(names);
  const write = async (statement: Statement) => sql.query({ ...statement, writes: true });
  const count = async (column: string, statement: Statement) => Number(only(await write(statement))[column]);

  async function trySet(statement: Statement): Promise<SqlRow | undefined> {
    try {
      return (await write(statement))[0];
    } catch (thrown) {
      if (!hasCode(thrown, UNIQUE_VIOLATION)) throw thrown;
      // The error may have aborted a transaction of the application, in which no further attempt can succeed.
      if (!sql.autocommit) throw new Contention("others set timers of the user");
      return undefined;
    }
  }

  return {
    name: "postgres",

    set: async ({ conversationId, timerId, userId, at, content }) => {
      const statement = statements.set({ conversationId, timerId, userId, atMs: at.getTime(), content });
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const row = await trySet(statement);
        if (row !== undefined) return row["outcome"] === "full" ? "full" : "set";
      }
      throw new Contention("others set timers of the user constantly");
    },

    due: async (limit) => (await sql.query(statements.due({ limit }))).map(toTimer),

    advance: async ({ conversationId, timerId, from, to }) => {
      const step = { conversationId, timerId, fromMs: from.getTime() };
      const statement = to === null ? statements.end(step) : statements.move({ ...step, atMs: to.getTime() });
      return (await count("changed", statement)) > 0;
    },

    find: async ({ userId, conversationId, limit }) => {
      const statement =
        conversationId === undefined
          ? statements.find({ userId, limit })
          : statements.findIn({ userId, conversationId, limit });
      return (await sql.query(statement)).map(toTimer);
    },

    remove: async ({ conversationId, timerId }) =>
      (await count("erased", statements.remove({ conversationId, timerId }))) > 0,
    deleteConversation: (conversationId) =>
      count("erased", statements.deleteConversation({ conversationId })),
    deleteUser: (userId) => count("erased", statements.deleteUser({ userId })),
    close: async () => {},
    toMemoryError,
  };
}

const timerSchema = z.object({
  conversationId: z.string(),
  timerId: z.string(),
  userId: z.string(),
  atMs: z.number(),
  content: z.string(),
});

/** Converts the JSON in the column `timer` of a row. */
function toTimer(row: SqlRow): Timer {
  const { atMs, ...timer } = timerSchema.parse(JSON.parse(row["timer"] ?? "null"));
  return { ...timer, at: new Date(atMs) };
}
