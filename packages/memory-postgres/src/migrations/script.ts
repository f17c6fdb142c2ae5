import { quoteIdentifier, quoteLiteral, type TableLayout } from "../table-names.ts";
import { DIVISION, quotedName, TABLE_PLACEHOLDER, type TableGroup } from "./table-group.ts";

/** The error code that is raised if the tables have another number of partitions than requested. */
export const WRONG_PARTITIONS = "JF002";

/** The error code that is raised if tables that a migration created are missing. */
export const TABLES_GONE = "JF004";

const partitionScript = (tables: readonly string[], tableName: string, partitions: number): string => `
DO $jaf_partitions$
BEGIN
FOR part IN 0..${partitions - 1} LOOP
${tables.map((suffix) => `EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS ${partitions}, REMAINDER %s)', '${tableName}${suffix}_p' || part, '${tableName}${suffix}', part);`).join("\n")}
END LOOP;
END
$jaf_partitions$;`;

const named = (sql: string, { tableName }: TableLayout): string =>
  sql.replaceAll(TABLE_PLACEHOLDER, tableName);

function migrationSql(group: TableGroup, id: number, layout: TableLayout): string {
  const sql = named(group.migrations[id]?.sql ?? "", layout);
  const { tableName, partitions } = layout;
  if (id !== 0 || partitions === undefined || group.divisible === undefined)
    return sql.replaceAll(DIVISION, "");
  const { tables, column } = group.divisible;
  const divided = sql.replaceAll(DIVISION, ` PARTITION BY HASH ("${column}")`);
  return divided + partitionScript(tables, tableName, partitions);
}

/** Returns an SQL query for the number of partitions of a table. `table` is an SQL expression for the table's name. */
export const partitionCount = (table: string): string =>
  `(SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(${table}))`;

/** Returns an SQL condition: all tables of the group exist. `schema` is an SQL expression for the schema's name. */
export const hasTables = ({ tables }: TableGroup, schema: string, tableName: string): string =>
  `(${tables.map((suffix) => `to_regclass(${quotedName(schema)} || '."${tableName}${suffix}"') IS NOT NULL`).join(" AND ")})`;

/**
 * Returns an SQL condition: the functions of the group were made for the current tables. `schema` is an SQL expression
 * for the schema's name.
 */
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

const partitionCheck = ({ divisible }: TableGroup, { tableName, partitions }: TableLayout): string =>
  divisible === undefined || partitions === undefined
    ? ""
    : `DO $jaf$
BEGIN
IF ${partitionCount(quoteLiteral(quoteIdentifier(tableName)))} <> ${partitions} THEN
RAISE EXCEPTION USING ERRCODE = '${WRONG_PARTITIONS}', MESSAGE = 'the tables exist, with another number of partitions';
END IF;
END
$jaf$;
`;

/** Returns SQL that runs `sql`, with the schema of the tables in place of `"public"`. */
const execution = (sql: string): string => `EXECUTE replace($jaf_migration$
${sql}
$jaf_migration$, '"public".', ${quotedName("current_setting('jaf.schema')")} || '.');`;

const functionsStep = ({ functions }: TableGroup, layout: TableLayout): string =>
  functions === undefined
    ? ""
    : `DO $jaf$
BEGIN
IF current_setting('jaf.own_functions') = 'false' THEN
${execution(named(functions.sql, layout))}
END IF;
END
$jaf$;
`;

/**
 * Returns all migrations of a group as one script, for a new or an existing database. Any number of processes may run
 * it at the same time.
 */
export function migrationScript(group: TableGroup, layout: TableLayout): string {
  // Sent as one simple query, the script is one transaction, even through PgBouncer.
  const { tableName, schema } = layout;
  const journal = quoteIdentifier(`${tableName}${group.journalSuffix}`);
  const schemaText = schema === undefined ? "current_schema()" : quoteLiteral(schema);
  const steps = group.migrations.map(
    ({ name }, id) => `DO $jaf$
BEGIN
IF NOT EXISTS (SELECT FROM ${journal} WHERE id = ${id}) THEN
INSERT INTO ${journal} (id, name) VALUES (${id}, '${name}');
PERFORM set_config('jaf.own_functions', 'false', true);
${execution(migrationSql(group, id, layout))}
END IF;
END
$jaf$;`,
  );
  return `-- The schema's name is passed as a setting: it may be any text, even one that would end the quotation below.
SELECT set_config('jaf.schema', ${schemaText}, true);
-- Both settings are restored at the end, because the caller may be in a transaction of its own.
SELECT set_config('jaf.search_path', current_setting('search_path'), true),
	set_config('jaf.conforming_strings', current_setting('standard_conforming_strings'), true);
-- One lock for the whole schema: tables of several names may share it, but only one process can create it.
SELECT pg_advisory_xact_lock(hashtextextended('jaf ' || current_setting('jaf.schema'), 0));
DO $jaf$
BEGIN
IF current_setting('jaf.schema') = '' THEN
RAISE EXCEPTION USING ERRCODE = '3F000', MESSAGE = 'no schema has been selected to create in';
END IF;
-- Checked first, because CREATE SCHEMA IF NOT EXISTS needs the right to create a schema even if the schema exists.
IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = current_setting('jaf.schema')) THEN
EXECUTE format('CREATE SCHEMA %I', current_setting('jaf.schema'));
END IF;
END
$jaf$;
-- If pg_temp were not named, it would be searched first.
SELECT set_config('search_path', quote_ident(current_setting('jaf.schema')) || ', pg_temp', true),
	set_config('standard_conforming_strings', 'on', true);
CREATE TABLE IF NOT EXISTS ${journal} (
	id integer PRIMARY KEY,
	name text NOT NULL,
	applied_at timestamp with time zone DEFAULT now() NOT NULL
);
${tablesCheck(group, tableName, journal)}SELECT set_config('jaf.own_functions', ${hasOwnFunctions(group, "current_setting('jaf.schema')", tableName)}::text, true);
${steps.join("\n")}
${functionsStep(group, layout)}${partitionCheck(group, layout)}SELECT set_config('search_path', current_setting('jaf.search_path'), true),
	set_config('standard_conforming_strings', current_setting('jaf.conforming_strings'), true);`;
}
