/** Migrations that are applied together, and what they make: what the migrator has to know of them. */
export interface MigrationSet {
  /** In order. Their places in the list are what the journal holds. */
  readonly migrations: readonly { readonly name: string; readonly sql: string }[];
  /** The end of the journal's name, after the prefix. */
  readonly journalSuffix: string;
  /** The ends of the tables' names, after the prefix. */
  readonly tables: readonly string[];
  /**
   * The tables that the first migration makes, by their suffixes, can be divided by a hash of a column. Absent: they can't
   * be.
   */
  readonly divisible?: { readonly tables: readonly string[]; readonly column: string };
  /** From this migration on, they can be done twice, and are where {@link hasOwnFunctions} is false. */
  readonly firstRepeatable: number;
  /**
   * Whether the functions were made for the tables that are in a schema now, as a condition in SQL. `schema`: an expression
   * of SQL that gives the schema's name, always quoted.
   */
  readonly hasOwnFunctions: (schema: string, tableName: string) => string;
  /** What to run where the tables may not be made, for errors. Default: `migrate()`, and the script of `printMigrations()`. */
  readonly remedy?: string;
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
