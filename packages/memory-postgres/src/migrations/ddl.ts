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
