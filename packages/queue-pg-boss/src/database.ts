import { retryWithBackoff, withDeadline } from "@jaf/memory/adapter";
import pg from "pg";
import PgBoss from "pg-boss";
import type { PgBossClient, PgPool } from "./clients.ts";
import { isDeadlock, StatementTimeout, UnstartedBoss } from "./errors.ts";
import type { PgBossQueueSettings } from "./options.ts";

const STATEMENT_TIMEOUT_MS = 10_000;
const MOST_CONNECTIONS = 5;
const MAINTENANCE_SECONDS = 30;

/** Runs a statement. Rejects if Postgres doesn't answer within 10 seconds. */
export type ExecuteSql = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

/** A started pg-boss, and the statements of its database. */
export interface Database {
  readonly boss: PgBossClient;
  readonly executeSql: ExecuteSql;
}

/** Opens the database with the first call, and again after a failure. */
export interface DatabaseOpener {
  readonly open: () => Promise<Database>;
  /** Closes what was opened, but nothing of the application. */
  readonly close: () => Promise<void>;
}

async function bounded<T>(promise: Promise<T>): Promise<T> {
  return withDeadline(promise, {
    timeoutMs: STATEMENT_TIMEOUT_MS,
    timeoutError: () => new StatementTimeout("no answer in time"),
  });
}

async function executeOn(pool: PgPool, text: string, values: unknown[] | undefined, isLate: () => boolean) {
  const client = await pool.connect();
  const ignore = () => {}; // The statement fails with the error. Without a listener, it would end the process.
  client.on("error", ignore);
  let complete = false;
  try {
    if (isLate()) throw new StatementTimeout("no connection in time");
    const sent = values === undefined ? { text } : { text, values };
    const result = await client.query({ ...sent, query_timeout: STATEMENT_TIMEOUT_MS });
    complete = true;
    return result;
  } finally {
    // pg-boss sends scripts that begin a transaction. After a failure, the connection is still in this transaction.
    client.release(!complete);
    client.off("error", ignore);
  }
}

function executeOnPool(pool: PgPool): ExecuteSql {
  return (text, values) => {
    const start = performance.now();
    const isLate = () => performance.now() - start >= STATEMENT_TIMEOUT_MS;
    return bounded(executeOn(pool, text, values, isLate));
  };
}

const executeOnBoss =
  (boss: PgBossClient): ExecuteSql =>
  async (text, values = []) => {
    // A database of pg-boss that isn't open resolves to `undefined`.
    const result: { rows: unknown[] } | undefined = await bounded(boss.getDb().executeSql(text, values));
    if (result === undefined) throw new UnstartedBoss("no statement was sent");
    return result;
  };

function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
  });
  // The pool replaces an idle connection that breaks. Without a listener, the error would end the process.
  pool.on("error", () => {});
  return pool;
}

/**
 * Starts pg-boss on a pool. It creates its tables if they are missing. While it runs, it looks for jobs of dead workers
 * every 30 seconds. `onError` receives failures of this work.
 */
async function startBoss(executeSql: ExecuteSql, schema: string, onError: (thrown: unknown) => void) {
  const boss = new PgBoss({
    // pg-boss can't run two scripts with `executeSql` of its own pool after a failure, so it gets ours.
    db: { executeSql: (text, values) => executeSql(text, values) as Promise<{ rows: never[] }> },
    schema,
    schedule: false,
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
  });
  boss.on("error", onError);
  await boss.start();
  return boss;
}

/** Makes an opener for the client, pool or connection string of the settings. */
export function createDatabaseOpener(
  { connectionString, pool, boss, schema, name }: PgBossQueueSettings,
  onError: (thrown: unknown) => void,
): DatabaseOpener {
  let ownPool: pg.Pool | undefined;
  let ownBoss: PgBoss | undefined;
  let opening: Promise<Database> | undefined;

  async function connect(): Promise<Database> {
    if (boss !== undefined) {
      const executeSql = executeOnBoss(boss);
      await executeSql("SELECT 1"); // Rejects with an UnstartedBoss, unlike the calls of pg-boss.
      return { boss, executeSql };
    }
    if (connectionString !== undefined) ownPool ??= openPool(connectionString);
    const executeSql = executeOnPool(pool ?? (ownPool as PgPool));
    // A PgBoss that failed to start can't be started again. The next call makes a new one.
    ownBoss ??= await startBoss(executeSql, schema, onError);
    return { boss: ownBoss, executeSql };
  }

  async function ensureQueue({ boss }: Database): Promise<void> {
    const found = await boss.getQueue(name);
    const options = { name, policy: "short" } as const;
    if (found === null) await boss.createQueue(name, options);
    else if (found.policy !== options.policy) await boss.updateQueue(name, options);
  }

  async function prepare(): Promise<Database> {
    const database = await connect();
    // Creating a queue locks the table of all queues, and may deadlock with other statements.
    await retryWithBackoff(() => ensureQueue(database), { isTransientError: isDeadlock });
    return database;
  }

  return {
    open: () => {
      opening ??= prepare().catch((thrown: unknown) => {
        opening = undefined;
        throw thrown;
      });
      return opening;
    },
    close: async () => {
      await opening?.catch(() => {});
      await ownBoss?.stop({ graceful: false });
      await ownPool?.end();
    },
  };
}
