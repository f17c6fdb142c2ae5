/** Tables that are made together: what the migrator has to know of them. SQL as {@link import("./ddl.ts").ddl} has it. */
export interface TableGroup {
  /** The end of the journal's name, after the prefix. */
  readonly journalSuffix: string;
  /** The ends of the tables' names, after the prefix. */
  readonly tables: readonly string[];
  /** Which of them can be divided by a hash of a column, where their SQL says so. Absent: none. */
  readonly divisible?: { readonly tables: readonly string[]; readonly column: string };
  /** What is done to the tables, once each and in order. Their places in the list are what the journal holds. */
  readonly migrations: readonly { readonly name: string; readonly sql: string }[];
  /** Functions, views and triggers. Absent: there are none. */
  readonly functions?: {
    /** Can be done any number of times. Done behind each migration, and wherever `areOwn` is false. */
    readonly sql: string;
    /**
     * Whether they were made for the tables that are in a schema now, as a condition in SQL. `schema`: an expression of SQL that
     * gives the schema's name.
     */
    readonly areOwn: (schema: string, tableName: string) => string;
  };
  /** What to run where the tables may not be made, for errors. */
  readonly remedy: string;
}

/**
 * An expression of SQL that quotes the name that another one gives. Always, unlike `quote_ident`, which quotes more in one
 * version of Postgres than in another.
 */
export const quotedName = (name: string): string => `('"' || replace(${name}, '"', '""') || '"')`;

/** A condition in SQL: a schema has a function of this name. `condition` is one on `prosrc`. */
export const hasFunction = (schema: string, name: string, condition = "true"): string =>
  `EXISTS (SELECT FROM pg_proc JOIN pg_namespace AS namespace ON namespace.oid = pronamespace
  WHERE nspname = ${schema} AND proname = '${name}'
    AND ${condition})`;
