import { createMemoryConnectionError, MemorySetupError, present } from "@jaf/memory/adapter";
import { checkRelease } from "@jaf/memory/internal";
import { adaptClient } from "./client/adapt-client.ts";
import type { PgClient, PostgresClient, SqlClient } from "./client/clients.ts";
import type { ConnectionSettings } from "./config.ts";
import { toSetupError } from "./errors.ts";
import { prepareTables } from "./migrations/migrator.ts";
import type { TableGroup } from "./migrations/table-group.ts";
import type { ResolvedNames, TableNames } from "./table-names.ts";

interface Opening {
  readonly settings: ConnectionSettings & TableNames;
  /** The client that the application passed in. `undefined`: the store opens a pool. */
  readonly client: PostgresClient | undefined;
  readonly group: TableGroup;
  /** The name of the exported function that opens the store, for error messages. */
  readonly operation: string;
}

interface OpenedTables {
  /** The pool that the store opened, or the client that the application passed in. */
  readonly client: PostgresClient;
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
  /** Closes the pool if the store opened it. A client that the application passed in stays open. */
  readonly close: () => Promise<void>;
}

/** Throws a `TypeError` if `client` isn't a client. For stores that never open a pool. */
export function requireClient(client: PostgresClient, operation: string): void {
  if (typeof client === "object" && client !== null) return;
  throw new TypeError(
    `${operation}: expected a Pool or a connected Client of \`pg\`, or a PGlite, as the client`,
  );
}

/**
 * Opens a pool unless `client` is given, prepares the tables, and returns the result of `make`. Rejects with a
 * `MemorySetupError` if any of these fails.
 */
export async function openStore<T>(
  { settings, client, group, operation }: Opening,
  make: (tables: OpenedTables) => T | Promise<T>,
): Promise<T> {
  checkRelease(globalThis.JAF_RELEASE);
  const opened =
    client === undefined ? await openPool(settings, operation) : { client, close: async () => {} };
  try {
    const sql = adaptClient(opened.client);
    const names = await prepareTables(sql, group, { ...settings, operation });
    return await make({ client: opened.client, sql, names, close: opened.close });
  } catch (thrown) {
    await opened.close().catch(() => {}); // The first error is the helpful one.
    throw toSetupError(operation, thrown);
  }
}

const CONNECTION_TIMEOUT_MS = 10_000;

interface OwnPool {
  readonly client: PgClient;
  readonly close: () => Promise<void>;
}

// Imported only when it is needed. With PGlite, or with a client of the application, `pg` need not be installed.
async function importPg(operation: string) {
  try {
    const { default: pg } = await import("pg");
    return pg;
  } catch {
    const hint = "the package `pg` is not installed; install it, or pass a client";
    throw new MemorySetupError(
      createMemoryConnectionError("postgres", hint, { operation, retryable: false }),
    );
  }
}

function connectionOptions(settings: ConnectionSettings) {
  const { connectionString, host, port, database, username, password, ssl } = settings;
  const target =
    connectionString === undefined
      ? { host, port, database, user: username, ...present({ password }) }
      : { connectionString };
  return { ...target, ...present({ ssl }) };
}

/** Opens a pool, which connects with its first statement. */
async function openPool(settings: ConnectionSettings, operation: string): Promise<OwnPool> {
  const { Pool } = await importPg(operation);
  const pool = new Pool({
    ...connectionOptions(settings),
    max: settings.maxConnections,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: settings.queryTimeoutMs,
    keepAlive: true,
  });
  // The pool replaces an idle connection that breaks. Without a listener, the error would end the process.
  pool.on("error", () => {});
  return { client: pool, close: () => pool.end() };
}
