import type { SqlRow, Statement } from "./statements.ts";

interface QueryRows {
  rows: unknown[];
}

interface NamedQuery {
  name?: string;
  text: string;
  values?: unknown[];
  /** In milliseconds. */
  query_timeout?: number;
}

/** A `Client` or `Pool` of `pg`, or anything that queries as they do. A `Client` must be connected. */
export interface PgClient {
  query(query: string | NamedQuery, values?: unknown[]): Promise<QueryRows>;
}

/** An instance of `@electric-sql/pglite`. */
export interface PgliteClient {
  query(text: string, values?: unknown[]): Promise<QueryRows>;
  exec(script: string): Promise<unknown>;
}

export type PostgresClient = PgClient | PgliteClient;

export const isPglite = (client: PostgresClient): client is PgliteClient =>
  "exec" in client && typeof client.exec === "function";

/** Whether it is an error of a driver or the server with one of these codes. */
export const hasCode = (thrown: unknown, codes: ReadonlySet<unknown>): boolean =>
  thrown instanceof Error && "code" in thrown && codes.has(thrown.code);

/** All that the adapter needs of a driver. */
export interface SqlClient {
  /** Whether each statement is a transaction by itself; if not, it may belong to one of the application. */
  readonly autocommit: boolean;
  /** Whether statements run side by side, on connections of their own. */
  readonly concurrent: boolean;
  readonly query: (statement: Statement) => Promise<readonly SqlRow[]>;
  /** Several statements in one message, which Postgres makes one transaction of. */
  readonly script: (sql: string) => Promise<void>;
}
