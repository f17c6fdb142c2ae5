import { bigint, customType, PgSchema, type PgTableFn, pgTable } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";

/** Stands for `tableName` in SQL texts. */
export const TABLE_PLACEHOLDER = "__p__";

/**
 * A template tag for SQL that creates tables or functions. In the SQL, `"public".` before a name stands for the schema
 * of the tables. Backslashes stay as they are.
 */
export const ddl = (strings: TemplateStringsArray, ...parts: readonly string[]): string =>
  // A name with its schema can't be redirected by the `search_path` or a temporary table.
  String.raw(strings, ...parts).trim();

/**
 * The quotation mark for the body of an SQL function. It is longer than any name, so no schema's name can end the
 * quotation.
 */
export const BODY = "$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$";

const NAME = "$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$";

/** The name of the table of conversations, as a quoted text in SQL. */
export const OWN_NAME = `${NAME}"public"."__p__"${NAME}`;

/** The start of each SQL function that writes. It raises an error if the schema was renamed. */
// After a renaming, the names in the function refer to no tables, or to those of a new schema with the old name. So the
// function also gets its table by the table's identity, as `p_table`, and compares both. The next migration creates all
// functions again.
export const REFUSE_RENAMED = `	IF p_table IS DISTINCT FROM to_regclass(${OWN_NAME}) THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;`;

/** Stands for the `PARTITION BY` clause of a table in SQL texts. */
export const DIVISION = "__division__";

/** Tables that the migrator creates together. The SQL in its fields is written with {@link ddl}. */
export interface TableGroup {
  /**
   * The end of the journal's name, after `tableName`. The journal is the table that lists which migrations were made.
   */
  readonly journalSuffix: string;
  /** The ends of the tables' names, after `tableName`. */
  readonly tables: readonly string[];
  /** The tables that can be partitioned by a hash of `column`. Absent: none. */
  // The SQL of these tables contains DIVISION.
  readonly divisible?: { readonly tables: readonly string[]; readonly column: string };
  /** The changes of the tables, each made once, in this order. */
  // The journal has the index of each change in this list.
  readonly migrations: readonly { readonly name: string; readonly sql: string }[];
  /** The functions, views and triggers of the tables. Absent: there are none. */
  readonly functions?: {
    /** SQL that creates the functions, views and triggers, and that can be run repeatedly. */
    // Runs after each migration, and if `areOwn` is false.
    readonly sql: string;
    /**
     * Returns an SQL condition: the functions were made for the current tables of a schema. `schema` is an SQL
     * expression for the schema's name.
     */
    readonly areOwn: (schema: string, tableName: string) => string;
  };
  /** What an error tells the user to do if tables are missing and `migrate` is false. */
  readonly remedy: string;
}

/** Returns an SQL expression for a quoted name. `name` is an SQL expression for the name. */
// In contrast to `quote_ident`, always quotes. What `quote_ident` quotes depends on Postgres's version.
export const quotedName = (name: string): string => `('"' || replace(${name}, '"', '""') || '"')`;

/**
 * Returns an SQL condition: a schema has a function with this name. `schema` is an SQL expression. `condition` is an
 * SQL condition on the function's row of `pg_proc`.
 */
export const hasFunction = (schema: string, name: string, condition = "true"): string =>
  `EXISTS (SELECT FROM pg_proc JOIN pg_namespace AS namespace ON namespace.oid = pronamespace
  WHERE nspname = ${schema} AND proname = '${name}'
    AND ${condition})`;

// The columns compare texts by their bytes, so comparisons are exact. A system update that changes a locale can't
// corrupt their indexes.

/** A column for an id of at most 255 characters. */
export const idColumn = customType<{ data: string }>({ dataType: () => 'varchar(255) COLLATE "C"' });

/** A column for a text of any length that is compared by its bytes, e.g. a hash. */
export const exactTextColumn = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

export const bytesColumn = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** A column for a whole number up to 2⁵³. */
export const countColumn = (name: string) => bigint(name, { mode: "number" });

/**
 * Returns a function that defines tables in a schema. Without `schema`, they are in the connection's current schema.
 */
export const tableIn = ({ schema }: Pick<TableNames, "schema">): PgTableFn =>
  // Not `pgSchema`, which refuses an explicit "public".
  schema === undefined ? pgTable : (new PgSchema(schema).table as unknown as PgTableFn);
