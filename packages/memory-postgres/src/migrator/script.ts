import {
  qualifiedName,
  quoteIdentifier,
  quoteLiteral,
  TABLE_PLACEHOLDER,
  type TableLayout,
  type TableNames,
} from "../schema/names.ts";
import { migrations } from "./embedded.ts";

export const MIGRATIONS_SUFFIX = "_migrations";

export const LATEST_MIGRATION = migrations.length - 1;

/** That the tables are divided into as many parts as they should be. */
export const WRONG_PARTITIONS = "JF002";

const TABLES = ["", "_messages", "_traces", "_keys"];

const END_OF_TABLE = /^\);$/gm;

const partitionScript = (tableName: string, partitions: number): string => `
DO $jaf_partitions$
BEGIN
FOR part IN 0..${partitions - 1} LOOP
${TABLES.map((suffix) => `EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS ${partitions}, REMAINDER %s)', '${tableName}${suffix}_p' || part, '${tableName}${suffix}', part);`).join("\n")}
END LOOP;
END
$jaf_partitions$;`;

function migrationSql(id: number, sql: string, { tableName, partitions }: TableLayout): string {
  const named = sql.replaceAll(TABLE_PLACEHOLDER, tableName).trim();
  if (id !== 0 || partitions === undefined) return named;
  const divided = named.replaceAll(END_OF_TABLE, ') PARTITION BY HASH ("conversation_id");');
  return divided + partitionScript(tableName, partitions);
}

/** How many parts a table has, as a query of one value. */
export const partitionCount = (table: string): string =>
  `(SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(${table}))`;

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
export function migrationScript(layout: TableLayout): string {
  const { tableName, schema } = layout;
  const journal = quoteIdentifier(`${tableName}${MIGRATIONS_SUFFIX}`);
  const schemaText = schema === undefined ? "current_schema()" : quoteLiteral(schema);
  const steps = migrations.map(
    ({ name, sql }, id) => `DO $jaf$
BEGIN
IF NOT EXISTS (SELECT FROM ${journal} WHERE id = ${id}) THEN
INSERT INTO ${journal} (id, name) VALUES (${id}, '${name}');
EXECUTE replace($jaf_migration$
${migrationSql(id, sql, layout)}
$jaf_migration$, '"public".', quote_ident(current_setting('jaf.schema')) || '.');
END IF;
END
$jaf$;`,
  );
  return `-- Through a setting, since a schema may have any name, also one that would end the quotation below.
SELECT set_config('jaf.schema', ${schemaText}, true);
-- Put back at the end: the caller may be in a transaction of its own.
SELECT set_config('jaf.search_path', current_setting('search_path'), true);
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
SELECT set_config('search_path', quote_ident(current_setting('jaf.schema')) || ', pg_temp', true);
CREATE TABLE IF NOT EXISTS ${journal} (
	id integer PRIMARY KEY,
	name text NOT NULL,
	applied_at timestamp with time zone DEFAULT now() NOT NULL
);
${steps.join("\n")}
${partitionCheck(layout)}SELECT set_config('search_path', current_setting('jaf.search_path'), true);`;
}

export const migrationsTable = (names: TableNames): string => qualifiedName(names, MIGRATIONS_SUFFIX);
