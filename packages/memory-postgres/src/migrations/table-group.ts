import { bigint, customType, PgSchema, type PgTableFn, pgTable } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";

/** Stands for `tableName` (the start of the tables' names) in SQL texts. */
export const TABLE_PLACEHOLDER = "__p__";

/**
 * A template tag for SQL that creates tables or functions. Backslashes stay as they are. In the SQL, `"public".` stands
 * for the schema of the tables. So no `search_path` and no temporary table can redirect writes.
 */
export const ddl = (strings: TemplateStringsArray, ...parts: readonly string[]): string =>
  String.raw(strings, ...parts).trim();

/**
 * The quotation mark for the body of an SQL function. It is longer than any name, so no schema's name can end the
 * quotation.
 */
export const BODY = "$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$";

const NAME = "$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$";

/** The name of the table of conversations, as an SQL text. */
export const OWN_NAME = `${NAME}"public"."__p__"${NAME}`;

/**
 * The start of each SQL function that writes: it refuses to work if the schema was renamed. After a renaming, the names
 * in the function refer to no tables. If there is a new schema with the old name, the names refer to the wrong tables.
 * So the function also gets its table by the table's identity, as `p_table`, and compares both. The next migration
 * creates all functions again.
 */
export const REFUSE_RENAMED = `	IF p_table IS DISTINCT FROM to_regclass(${OWN_NAME}) THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;`;

/** Stands for the `PARTITION BY` clause of a table in SQL texts, after the table's columns. */
export const DIVISION = "__division__";

/** Tables that the migrator creates together. SQL texts are in the form of {@link ddl}. */
export interface TableGroup {
  /**
   * The end of the journal's name, after `tableName`. The journal is the table that records which migrations were made.
   */
  readonly journalSuffix: string;
  /** The ends of the tables' names, after `tableName`. */
  readonly tables: readonly string[];
  /**
   * The tables that can be partitioned by a hash of `column`. Their SQL contains {@link DIVISION}. Default: no tables.
   */
  readonly divisible?: { readonly tables: readonly string[]; readonly column: string };
  /**
   * The changes of the tables. Each change is made once, in this order. The journal records a change by its index in
   * this list.
   */
  readonly migrations: readonly { readonly name: string; readonly sql: string }[];
  /** The functions, views and triggers of the tables. Absent if there are none. */
  readonly functions?: {
    /**
     * SQL that creates the functions, views and triggers, and that can be run repeatedly. The SQL runs after each
     * migration. It also runs if the SQL condition `areOwn` shows that the functions are missing or were made for other
     * tables.
     */
    readonly sql: string;
    /**
     * Returns an SQL condition. It is true if the functions were made for the current tables of a schema. `schema` is
     * an SQL expression for the schema's name.
     */
    readonly areOwn: (schema: string, tableName: string) => string;
  };
  /** What an error tells the user to do if tables are missing and the package must not create them. */
  readonly remedy: string;
}

/**
 * Returns an SQL expression that quotes a name. `name` is an SQL expression for the name. Unlike `quote_ident`, the
 * result always quotes. What `quote_ident` quotes depends on Postgres's version.
 */
export const quotedName = (name: string): string => `('"' || replace(${name}, '"', '""') || '"')`;

/**
 * Returns an SQL condition. It is true if a schema has a function with this name, for which `condition` is true.
 * `condition` is an SQL condition on the row of `pg_proc`, e.g. on the function's source, `prosrc`.
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

/** Returns a function that defines tables in a schema. Default: the connection's current schema. */
export const tableIn = ({ schema }: Pick<TableNames, "schema">): PgTableFn =>
  // Not `pgSchema`, which refuses an explicit "public".
  schema === undefined ? pgTable : (new PgSchema(schema).table as unknown as PgTableFn);
