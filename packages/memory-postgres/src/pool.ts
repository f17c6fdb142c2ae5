import { createMemoryConnectionError, MemorySetupError, present } from "@jaf/memory/adapter";
import type { PgClient } from "./client/clients.ts";
import type { ConnectionSettings } from "./config.ts";

const CONNECTION_TIMEOUT_MS = 10_000;

export interface OwnPool {
  readonly client: PgClient;
  readonly close: () => Promise<void>;
}

// Imported when needed: with PGlite, or a client of one's own, `pg` need not be installed.
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

/** Connects lazily. `operation`: who asks, for the error where `pg` is missing. */
export async function openPool(settings: ConnectionSettings, operation: string): Promise<OwnPool> {
  const { Pool } = await importPg(operation);
  const pool = new Pool({
    ...connectionOptions(settings),
    max: settings.maxConnections,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: settings.queryTimeoutMs,
    keepAlive: true,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => {});
  return { client: pool, close: () => pool.end() };
}
