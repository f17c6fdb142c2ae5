import { quoteIdentifier, quoteLiteral, TABLE_PLACEHOLDER, type TableLayout } from "../schema/names.ts";
import { type MigrationSet, quotedName } from "./migration-set.ts";

/** That the tables are divided into as many parts as they should be. */
export const WRONG_PARTITIONS = "JF002";

/** That the tables were made once, and some of them are gone. */
export const TABLES_GONE = "JF004";

const END_OF_TABLE = /^\);$/gm;

const partitionScript = (tables: readonly string[], tableName: string, partitions: number): string => `
DO $jaf_partitions$
BEGIN
FOR part IN 0..${partitions - 1} LOOP
${tables.map((suffix) => `EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS ${partitions}, REMAINDER %s)', '${tableName}${suffix}_p' || part, '${tableName}${suffix}', part);`).join("\n")}
END LOOP;
END
$jaf_partitions$;`;

function migrationSql(set: MigrationSet, id: number, { tableName, partitions }: TableLayout): string {
  const named = (set.migrations[id]?.sql ?? "").replaceAll(TABLE_PLACEHOLDER, tableName).trim();
  if (id !== 0 || partitions === undefined || set.divisible === undefined) return named;
  const { tables, column } = set.divisible;
  const divided = named.replaceAll(END_OF_TABLE, `) PARTITION BY HASH ("${column}");`);
  return divided + partitionScript(tables, tableName, partitions);
}

/** How many parts a table has, as a query of one value. */
export const partitionCount = (table: string): string =>
  `(SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(${table}))`;

/** Whether all tables are there, as a condition on a schema: an expression of SQL that gives its name. */
export const hasTables = ({ tables }: MigrationSet, schema: string, tableName: string): string =>
  `(${tables.map((suffix) => `to_regclass(${quotedName(schema)} || '."${tableName}${suffix}"') IS NOT NULL`).join(" AND ")})`;

const tablesCheck = (set: MigrationSet, tableName: string, journal: string): string => `DO $jaf$
BEGIN
IF EXISTS (SELECT FROM ${journal} WHERE id = 0) AND NOT ${hasTables(set, "current_setting('jaf.schema')", tableName)} THEN
RAISE EXCEPTION USING ERRCODE = '${TABLES_GONE}', MESSAGE = 'tables that were made are gone';
END IF;
END
$jaf$;
`;

const partitionCheck = ({ tableName, partitions }: TableLayout): string =>
  partitions === undefined
    ? ""
    : `DO $jaf$
BEGIN
IF ${partitionCount(quoteLiteral(quoteIdentifier(tableName)))} <> ${partitions} THEN
RAISE EXCEPTION USING ERRCODE = '${WRONG_PARTITIONS}', MESSAGE = 'the tables exist, with another number of partitions';
END IF;
END
$jaf$;
`;

/**
 * Everything as one script that any number of processes may run at once, on a new or an existing database: sent as
 * one simple query it is one transaction, also through PgBouncer.
 */
export function migrationScript(set: MigrationSet, layout: TableLayout): string {
  const { tableName, schema } = layout;
  const journal = quoteIdentifier(`${tableName}${set.journalSuffix}`);
  const schemaText = schema === undefined ? "current_schema()" : quoteLiteral(schema);
  const steps = set.migrations.map(
    ({ name }, id) => `DO $jaf$
BEGIN
IF NOT EXISTS (SELECT FROM ${journal} WHERE id = ${id})${id < set.firstRepeatable ? "" : " OR current_setting('jaf.own_functions') = 'false'"} THEN
INSERT INTO ${journal} (id, name) VALUES (${id}, '${name}') ON CONFLICT DO NOTHING;
EXECUTE replace($jaf_migration$
${migrationSql(set, id, layout)}
$jaf_migration$, '"public".', ${quotedName("current_setting('jaf.schema')")} || '.');
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
${tablesCheck(set, tableName, journal)}-- Asked before any step is done, which would answer it for the next one.
SELECT set_config('jaf.own_functions', ${set.hasOwnFunctions("current_setting('jaf.schema')", tableName)}::text, true);
${steps.join("\n")}
${partitionCheck(layout)}SELECT set_config('search_path', current_setting('jaf.search_path'), true),
	set_config('standard_conforming_strings', current_setting('jaf.conforming_strings'), true);`;
}
