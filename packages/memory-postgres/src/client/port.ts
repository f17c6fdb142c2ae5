/**
 * A row whose columns are all text: queries cast each to `text`, since drivers differ in what they make of other
 * types, and applications replace their parsers.
 */
export type SqlRow = Readonly<Record<string, string | null>>;

export type SqlValue = string | number | boolean | null | readonly (string | null)[] | readonly boolean[];

export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** For a statement that is used all the time: may be prepared under this name. The same name means the same text. */
  readonly name?: string;
  /** Whether it may change what is stored. */
  readonly writes?: true;
  /** Where the driver can, the statement is given up after this time. */
  readonly timeoutMs?: number;
}

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
