import { bigint, customType, PgSchema, type PgTableFn, pgTable } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";

/** Stands for the prefix of the names. */
export const TABLE_PLACEHOLDER = "__p__";

/**
 * Raw SQL of tables or functions, including backslashes. `"public".` stands for the schema of the tables, so no
 * `search_path` or temporary table can redirect writes.
 */
export const ddl = (strings: TemplateStringsArray, ...parts: readonly string[]): string =>
  String.raw(strings, ...parts).trim();

/** Quotes the body of a function. It is longer than any name, so a schema's name can't end the quotation. */
export const BODY = "$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$";

const NAME = "$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$";

/** The name of the conversations' table, as a text. */
export const OWN_NAME = `${NAME}"public"."__p__"${NAME}`;

/**
 * After a schema is renamed, the names in a function lead to nothing, or to the wrong tables if there is a new schema
 * with the old name. So each function that writes also knows its table by its identity, as `p_table`, and refuses to
 * work on another one. A migration after the renaming creates all functions again.
 */
export const REFUSE_RENAMED = `	IF p_table IS DISTINCT FROM to_regclass(${OWN_NAME}) THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;`;

/** The place for a table's `PARTITION BY` clause, after its columns. */
export const DIVISION = "__division__";

/** Tables that are created together, for the migrator. SQL texts are in the form of {@link ddl}. */
export interface TableGroup {
  /** The end of the journal's name, after the prefix. */
  readonly journalSuffix: string;
  /** The ends of the tables' names, after the prefix. */
  readonly tables: readonly string[];
  /** The tables that can be partitioned by a hash of a column, if their SQL has the place for it. Default: none. */
  readonly divisible?: { readonly tables: readonly string[]; readonly column: string };
  /** Changes of the tables. Each is applied once, in order. The journal stores their indexes in the list. */
  readonly migrations: readonly { readonly name: string; readonly sql: string }[];
  /** Functions, views and triggers, if any. */
  readonly functions?: {
    /** Can be run repeatedly. Runs after each migration, and if `areOwn` is false. */
    readonly sql: string;
    /**
     * Returns an SQL condition: the functions were made for the current tables of a schema. `schema` is an SQL
     * expression for the schema's name.
     */
    readonly areOwn: (schema: string, tableName: string) => string;
  };
  /** The instruction for errors if the package must not create the tables. */
  readonly remedy: string;
}

/**
 * Returns an SQL expression that quotes a name, given by another expression. Unlike `quote_ident`, it always quotes;
 * what `quote_ident` quotes depends on Postgres's version.
 */
export const quotedName = (name: string): string => `('"' || replace(${name}, '"', '""') || '"')`;

/** Returns an SQL condition: a schema has a function with this name. `condition` is a condition on `prosrc`. */
export const hasFunction = (schema: string, name: string, condition = "true"): string =>
  `EXISTS (SELECT FROM pg_proc JOIN pg_namespace AS namespace ON namespace.oid = pronamespace
  WHERE nspname = ${schema} AND proname = '${name}'
    AND ${condition})`;

// Byte order: texts are compared exactly, and a system update that changes a locale can't corrupt their indexes.

/** An id of at most 255 characters. */
export const idColumn = customType<{ data: string }>({ dataType: () => 'varchar(255) COLLATE "C"' });

/** A text of any length that is compared like an id, e.g. a hash. */
export const exactTextColumn = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

export const bytesColumn = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** A whole number up to 2⁵³. */
export const countColumn = (name: string) => bigint(name, { mode: "number" });

/** Returns a function that defines tables in a schema, by default the connection's. */
export const tableIn = ({ schema }: Pick<TableNames, "schema">): PgTableFn =>
  // Not `pgSchema`, which refuses an explicit "public".
  schema === undefined ? pgTable : (new PgSchema(schema).table as unknown as PgTableFn);
