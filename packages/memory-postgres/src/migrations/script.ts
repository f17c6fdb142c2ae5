import { quoteIdentifier, quoteLiteral, type TableNames } from "../schema/names.ts";
import { TABLE_PLACEHOLDER } from "./ddl.ts";
import { quotedName, type TableGroup } from "./table-group.ts";

/** That the tables were made once, and some of them are gone. */
export const TABLES_GONE = "JF004";

const named = (sql: string, { tableName }: TableNames): string =>
  sql.replaceAll(TABLE_PLACEHOLDER, tableName);

/** Whether all tables are there, as a condition on a schema: an expression of SQL that gives its name. */
export const hasTables = ({ tables }: TableGroup, schema: string, tableName: string): string =>
  `(${tables.map((suffix) => `to_regclass(${quotedName(schema)} || '."${tableName}${suffix}"') IS NOT NULL`).join(" AND ")})`;

/** Whether the functions were made for the tables that are there now, as a condition on a schema: see {@link hasTables}. */
export const hasOwnFunctions = ({ functions }: TableGroup, schema: string, tableName: string): string =>
  functions === undefined ? "true" : functions.areOwn(schema, tableName);

const tablesCheck = (group: TableGroup, tableName: string, journal: string): string => `DO $jaf$
BEGIN
IF EXISTS (SELECT FROM ${journal} WHERE id = 0) AND NOT ${hasTables(group, "current_setting('jaf.schema')", tableName)} THEN
RAISE EXCEPTION USING ERRCODE = '${TABLES_GONE}', MESSAGE = 'tables that were made are gone';
END IF;
END
$jaf$;
`;

/** Puts the schema of the tables in the place of "public". */
const execution = (sql: string): string => `EXECUTE replace($jaf_migration$
${sql}
$jaf_migration$, '"public".', ${quotedName("current_setting('jaf.schema')")} || '.');`;

const functionsStep = ({ functions }: TableGroup, names: TableNames): string =>
  functions === undefined
    ? ""
    : `DO $jaf$
BEGIN
IF current_setting('jaf.own_functions') = 'false' THEN
${execution(named(functions.sql, names))}
END IF;
END
$jaf$;
`;

/**
 * Everything as one script that any number of processes may run at once, on a new or an existing database: sent as
 * one simple query it is one transaction, also through PgBouncer.
 */
export function migrationScript(group: TableGroup, names: TableNames): string {
  const { tableName, schema } = names;
  const journal = quoteIdentifier(`${tableName}${group.journalSuffix}`);
  const schemaText = schema === undefined ? "current_schema()" : quoteLiteral(schema);
  const steps = group.migrations.map(
    ({ name, sql }, id) => `DO $jaf$
BEGIN
IF NOT EXISTS (SELECT FROM ${journal} WHERE id = ${id}) THEN
INSERT INTO ${journal} (id, name) VALUES (${id}, '${name}');
PERFORM set_config('jaf.own_functions', 'false', true);
${execution(named(sql, names))}
END IF;
END
$jaf$;`,
  );
  return `-- Through a setting, since a schema may have any name, also one that would end the quotation below.
SELECT set_config('jaf.schema', ${schemaText}, true);
-- Both are put back at the end: the caller may be in a transaction of its own.
SELECT set_config('jaf.search_path', current_setting('search_path'), true),
	set_config('jaf.conforming_strings', current_setting('standard_conforming_strings'), true);
-- One for the whole schema, which tables of several names may share and which only one can create.
SELECT pg_advisory_xact_lock(hashtextextended('jaf ' || current_setting('jaf.schema'), 0));
DO $jaf$
BEGIN
IF current_setting('jaf.schema') = '' THEN
RAISE EXCEPTION USING ERRCODE = '3F000', MESSAGE = 'no schema has been selected to create in';
END IF;
-- Asked first: CREATE SCHEMA IF NOT EXISTS needs the right to create one even where there is nothing to do.
IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = current_setting('jaf.schema')) THEN
EXECUTE format('CREATE SCHEMA %I', current_setting('jaf.schema'));
END IF;
END
$jaf$;
-- Left out, pg_temp would be searched first.
SELECT set_config('search_path', quote_ident(current_setting('jaf.schema')) || ', pg_temp', true),
	set_config('standard_conforming_strings', 'on', true);
CREATE TABLE IF NOT EXISTS ${journal} (
	id integer PRIMARY KEY,
	name text NOT NULL,
	applied_at timestamp with time zone DEFAULT now() NOT NULL
);
${tablesCheck(group, tableName, journal)}SELECT set_config('jaf.own_functions', ${hasOwnFunctions(group, "current_setting('jaf.schema')", tableName)}::text, true);
${steps.join("\n")}
${functionsStep(group, names)}SELECT set_config('search_path', current_setting('jaf.search_path'), true),
	set_config('standard_conforming_strings', current_setting('jaf.conforming_strings'), true);`;
}
