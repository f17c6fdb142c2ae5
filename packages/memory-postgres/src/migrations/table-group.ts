import { bigint, customType, PgSchema, type PgTableFn, pgTable } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";

/** Stands for the prefix of the names. */
export const TABLE_PLACEHOLDER = "__p__";

/**
 * SQL of tables or functions, backslashes and all. `"public".` stands for the schema of the tables: so nothing that a search_path
 * or a temporary table brings takes the writes.
 */
export const ddl = (strings: TemplateStringsArray, ...parts: readonly string[]): string =>
  String.raw(strings, ...parts).trim();

/** Quotes the body of a function: longer than a name, so that no schema's name ends it. */
export const BODY = "$jaf_function_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$";

const NAME = "$jaf_name_whose_tag_is_longer_than_any_name_of_a_schema_can_be_in_postgres$";

/** The name of the conversations' table, as a text. */
export const OWN_NAME = `${NAME}"public"."__p__"${NAME}`;

/**
 * A schema can be renamed. Then the names in a function lead to nothing, or, once there is a new schema of the old name, to
 * tables that are none of its business. So each function that writes knows its table by its identity too, as `p_table`, and
 * refuses to work on another. Where the schema has another name than before, all functions are made again.
 */
export const REFUSE_RENAMED = `	IF p_table IS DISTINCT FROM to_regclass(${OWN_NAME}) THEN
		RAISE EXCEPTION USING
			ERRCODE = 'JF003', MESSAGE = 'the schema was renamed after its tables were made: migrate() adapts them';
	END IF;`;

/** Stands where a table may say that it is divided, behind its columns. */
export const DIVISION = "__division__";

/** Tables that are made together: what the migrator has to know of them. SQL as {@link ddl} has it. */
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

// Byte order: texts are compared exactly, and a system update that changes a locale can't corrupt their indexes.

/** An id of at most 255 characters. */
export const idColumn = customType<{ data: string }>({ dataType: () => 'varchar(255) COLLATE "C"' });

/** A text of any length that is compared as an id is, e.g. a hash. */
export const exactTextColumn = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

export const bytesColumn = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** A whole number up to 2⁵³. */
export const countColumn = (name: string) => bigint(name, { mode: "number" });

/** Makes tables of a schema; of the connection's where none is named. */
export const tableIn = ({ schema }: Pick<TableNames, "schema">): PgTableFn =>
  // Not `pgSchema`, which refuses an explicit "public".
  schema === undefined ? pgTable : (new PgSchema(schema).table as unknown as PgTableFn);
