import type { SqlRow, Statement } from "./statement.ts";

interface QueryRows {
  rows: unknown[];
}

interface NamedQuery {
  name?: string;
  text: string;
  values?: unknown[];
  /** Milliseconds until the statement fails. */
  query_timeout?: number;
}

/** A `Client` or `Pool` of `pg`, or any object with the same `query` method. A `Client` must be connected. */
export interface PgClient {
  /** Runs a statement and returns its rows. */
  query(query: string | NamedQuery, values?: unknown[]): Promise<QueryRows>;
}

/** An instance of `@electric-sql/pglite`. */
export interface PgliteClient {
  /** Runs a statement and returns its rows. */
  query(text: string, values?: unknown[]): Promise<QueryRows>;
  /** Runs several statements without parameters. */
  exec(script: string): Promise<unknown>;
}

/**
 * A client that the application passes to this package: a client or pool of `pg`, or a PGlite. The package never closes
 * it.
 */
export type PostgresClient = PgClient | PgliteClient;

export const isPglite = (client: PostgresClient): client is PgliteClient =>
  "exec" in client && typeof client.exec === "function";

/** Returns whether `thrown` is an error of a driver or the server with one of these codes. */
export const hasCode = (thrown: unknown, codes: ReadonlySet<unknown>): boolean =>
  thrown instanceof Error && "code" in thrown && codes.has(thrown.code);

/** A client of any supported driver, with the same functions for all drivers. */
export interface SqlClient {
  /** Whether each statement is a transaction of its own. If false, it may be part of the application's transaction. */
  readonly autocommit: boolean;
  /** Whether statements run concurrently, on separate connections. */
  readonly concurrent: boolean;
  readonly query: (statement: Statement) => Promise<readonly SqlRow[]>;
  /** Sends a script of several statements in one message. Postgres runs the script as one transaction. */
  readonly script: (sql: string) => Promise<void>;
}
