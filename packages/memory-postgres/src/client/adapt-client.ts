import { backoffDelayMs, present } from "@jaf/memory/adapter";
import {
  hasCode,
  isPglite,
  type PgClient,
  type PgliteClient,
  type PostgresClient,
  type SqlClient,
} from "./clients.ts";
import type { SqlRow, Statement } from "./statement.ts";

/** The client that the application passed in isn't connected. */
export class UnconnectedClient extends Error {
  override readonly name = "UnconnectedClient";
}

interface PooledClient extends PgClient {
  on(event: "error", listener: () => void): unknown;
  off(event: "error", listener: () => void): unknown;
  release(destroy: boolean): void;
}

interface PgPool extends PgClient {
  connect(): Promise<PooledClient>;
}

const isPool = (client: PgClient): client is PgPool => "totalCount" in client && "connect" in client;

// Returns whether the client is in a transaction. In older versions of `pg`, a client doesn't tell. Then a second
// attempt of the statement learns it from the server.
const inTransaction = (client: PgClient): boolean =>
  "getTransactionStatus" in client &&
  typeof client.getTransactionStatus === "function" &&
  /^[TE]$/.test(String(client.getTransactionStatus()));

// These fields are private to `pg`. If they are missing, the client counts as connected.
const isUnconnected = (client: PostgresClient): boolean =>
  "_connected" in client &&
  client._connected === false &&
  "_connecting" in client &&
  client._connecting === false;

function createQueue(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const result = last.then(run);
    last = result.catch(() => {});
    return result;
  };
}

const adaptPglite = (client: PgliteClient): SqlClient => ({
  autocommit: true,
  concurrent: false,
  query: async ({ text, values }) => (await client.query(text, [...values])).rows as readonly SqlRow[],
  script: async (sql) => void (await client.exec(sql)),
});

/** The codes of the errors "no such prepared statement" and "the prepared statement already exists". */
// Both occur before the statement runs.
const MISPLACED = new Set<unknown>(["26000", "42P05"]);

function unnamed({ name: _, ...statement }: Statement): Statement {
  return statement;
}

async function send(client: PgClient, { text, values, name, timeoutMs }: Statement) {
  const query = {
    text,
    values: [...values],
    ...present({ name, query_timeout: timeoutMs }),
  };
  return (await client.query(query)).rows as readonly SqlRow[];
}

const scriptOn = (client: PgClient) => async (sql: string) => void (await client.query(sql));

/** Sends a statement in a transaction with the isolation level read committed, whatever the database's default is. */
async function sendReadCommitted(pool: PgPool, statement: Statement): Promise<readonly SqlRow[]> {
  const client = await pool.connect();
  const ignore = () => {}; // The statement fails with the error. Without a listener, it would end the process.
  client.on("error", ignore);
  let complete = false;
  try {
    await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
    const rows = await send(client, unnamed(statement));
    await client.query("COMMIT");
    complete = true;
    return rows;
  } finally {
    client.release(!complete);
    client.off("error", ignore);
  }
}

/** Converts a pool into an `SqlClient`. */
function adaptPool(pool: PgPool): SqlClient {
  // Statements are prepared, which makes an append a seventh faster. Some proxies send a prepared statement to a
  // connection that doesn't know it, e.g. PgBouncer before version 1.21 in transaction mode. After the first such
  // error, statements are no longer prepared.
  let prepares = true;
  // If the database's isolation level is above read committed, a write fails if it waited for another write to the same
  // conversation. After the first such failure, each write runs in a transaction with the level read committed.
  let raced = false;

  async function query(statement: Statement): Promise<readonly SqlRow[]> {
    if (raced && statement.writes) return sendReadCommitted(pool, statement);
    const sent = prepares ? statement : unnamed(statement);
    try {
      return await send(pool, sent);
    } catch (thrown) {
      if (sent.name !== undefined && hasCode(thrown, MISPLACED)) {
        prepares = false;
        return query(statement);
      }
      if (!hasCode(thrown, RACED)) throw thrown;
      raced = true;
      return sendReadCommitted(pool, statement);
    }
  }

  return { autocommit: true, concurrent: true, query, script: scriptOn(pool) };
}

function adaptConnection(client: PgClient): SqlClient {
  // Statements are not prepared: if a proxy has lost a prepared statement, the error would abort the application's
  // transaction.
  const query = retryAfterRace(
    (statement) => send(client, unnamed(statement)),
    () => inTransaction(client),
  );
  const script = scriptOn(client);
  // A connection runs one query after the other anyway, and `pg` is about to remove its own queue.
  const oneAtATime = createQueue();
  return {
    autocommit: false,
    concurrent: false,
    query: (statement) => oneAtATime(() => query(statement)),
    script: (sql) => oneAtATime(() => script(sql)),
  };
}

/**
 * Converts a client of `pg` or PGlite into an `SqlClient`. Throws an {@link UnconnectedClient} if a `Client` isn't
 * connected.
 */
export function adaptClient(client: PostgresClient): SqlClient {
  if (isPglite(client)) return adaptPglite(client);
  if (isUnconnected(client)) throw new UnconnectedClient("the client is not connected");
  return isPool(client) ? adaptPool(client) : adaptConnection(client);
}

type Query = SqlClient["query"];

// The codes of a serialization failure and of a deadlock. Outside of a transaction block, neither has written anything.
const RACED = new Set<unknown>(["40001", "40P01"]);

const IN_FAILED_TRANSACTION = new Set<unknown>(["25P02"]);

const ATTEMPTS = 20;
const DELAYS = { baseDelayMs: 2, maxDelayMs: 50 };

const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, backoffDelayMs(attempt, DELAYS)));

/** Returns a function that sends a statement, and sends it again after a conflict with another transaction. */
function retryAfterRace(send: Query, inTransaction: () => boolean): Query {
  // It can't begin a transaction: the application may send its own statements on the same connection between two
  // attempts, and these would become part of it.
  return async (statement) => {
    let raced: unknown;
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(statement);
      } catch (thrown) {
        // The first error aborted the application's transaction, and tells more than this one.
        if (raced !== undefined && hasCode(thrown, IN_FAILED_TRANSACTION)) throw raced;
        if (!hasCode(thrown, RACED) || inTransaction() || attempt === ATTEMPTS) throw thrown;
        raced = thrown;
      }
      await pause(attempt);
    }
  };
}
