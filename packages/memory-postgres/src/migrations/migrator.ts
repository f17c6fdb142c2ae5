import { createMemoryStorageError, MemorySetupError } from "@jaf/memory/adapter";
import { adaptClient } from "../client/adapt-client.ts";
import { hasCode, type PostgresClient, type SqlClient } from "../client/clients.ts";
import { toSetupError } from "../errors.ts";
import { qualifiedName, quoteIdentifier, type ResolvedNames, type TableLayout } from "../table-names.ts";
import {
  hasOwnFunctions,
  hasTables,
  migrationScript,
  partitionCount,
  TABLES_GONE,
  WRONG_PARTITIONS,
} from "./script.ts";
import type { TableGroup } from "./table-group.ts";

interface PrepareOptions {
  /** The name of the exported function, for the error message. */
  readonly operation: string;
  /** Whether the tables may be created or changed. */
  readonly migrate: boolean;
}

interface FoundTables {
  readonly names: ResolvedNames;
  /** Why a migration is necessary. Absent: it isn't. */
  // A newer version of the package may have added more than this version needs.
  readonly lack?: string;
}

const OUTDATED = "the tables are missing or out of date";
const RENAMED = "the schema was renamed after its tables were made";

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/**
 * Finds the schema of the tables, and whether they need a migration. Throws an error if the tables have another number
 * of partitions than requested, or if some were dropped.
 */
async function findTables(sql: SqlClient, group: TableGroup, layout: TableLayout): Promise<FoundTables> {
  const { tableName, schema, partitions } = layout;
  // Selecting from a missing table would be an error, and abort the caller's transaction.
  const [found] = await sql.query({
    // The journal is looked up in the snapshot that counts the partitions. `to_regclass` already sees tables that another
    // process commits meanwhile, and their partitions would seem to be missing.
    text: `SELECT place.schema,
        (SELECT pg_class.oid FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
          WHERE nspname = place.schema AND relname = $2::text)::text AS journal,
        ${partitionCount("quote_ident(place.schema) || '.' || $3::text")}::text AS partitions,
        ${hasTables(group, "place.schema", tableName)}::text AS complete,
        ${hasOwnFunctions(group, "place.schema", tableName)}::text AS own_functions
      FROM (SELECT coalesce($1::text, current_schema()::text) AS schema) AS place`,
    values: [
      schema ?? null,
      `${tableName}${group.journalSuffix}`,
      quoteIdentifier(`${tableName}${group.tables[0] ?? ""}`),
    ],
  });
  const resolved = schema ?? found?.["schema"];
  if (resolved == null) throw failure("3F000", "no schema has been selected");
  const names = { tableName, schema: resolved };
  if (found?.["journal"] == null) return { names, lack: OUTDATED };
  if (
    group.divisible !== undefined &&
    partitions !== undefined &&
    Number(found["partitions"]) !== partitions
  ) {
    throw failure(WRONG_PARTITIONS, "the tables exist, with another number of partitions");
  }
  const [applied] = await sql.query({
    text: `SELECT max(id)::text AS latest FROM ${qualifiedName(names, group.journalSuffix)}`,
    values: [],
  });
  const latest = Number(applied?.["latest"] ?? -1);
  if (latest >= 0 && found["complete"] !== "true")
    throw failure(TABLES_GONE, "tables that were made are gone");
  if (latest < group.migrations.length - 1) return { names, lack: OUTDATED };
  return found["own_functions"] === "true" ? { names } : { names, lack: RENAMED };
}

// The codes of errors after which the script is run again. Above the isolation level read committed, a script that
// waited for another process doesn't see that process's changes.
const RACED = new Set<unknown>(["40001", "40P01", "23505", "42P06"]);

const ATTEMPTS = 5;

async function runScript(sql: SqlClient, script: string): Promise<void> {
  let first: unknown;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await sql.script(script);
    } catch (thrown) {
      first ??= thrown; // Within a transaction of the caller, later errors only say that it has failed.
      if (!hasCode(thrown, RACED)) break;
    }
  }
  throw first;
}

/** Migrates the tables if necessary, and returns their names and schema. */
async function applyMigrations(
  sql: SqlClient,
  group: TableGroup,
  wanted: TableLayout,
): Promise<ResolvedNames> {
  const { names, lack } = await findTables(sql, group, wanted);
  if (lack !== undefined)
    await runScript(sql, migrationScript(group, { ...names, partitions: wanted.partitions }));
  return names;
}

/**
 * Migrates the tables, or only checks them if `migrate` is false. Returns their names and schema. Rejects with a
 * `MemorySetupError` or an error of the driver.
 */
export async function prepareTables(
  sql: SqlClient,
  group: TableGroup,
  { operation, migrate: mayMigrate, ...layout }: TableLayout & PrepareOptions,
): Promise<ResolvedNames> {
  if (mayMigrate) return applyMigrations(sql, group, layout);
  const { names, lack } = await findTables(sql, group, layout);
  if (lack === undefined) return names;
  const reason = `${lack}; run ${group.remedy}`;
  throw new MemorySetupError(createMemoryStorageError(operation, reason, { provider: "postgres" }));
}

/** Migrates the groups of tables one after the other. If one fails, the groups before it stay migrated. */
export async function migrateGroups(
  client: PostgresClient,
  groups: readonly TableGroup[],
  layout: TableLayout,
): Promise<void> {
  try {
    const sql = adaptClient(client);
    for (const group of groups) await applyMigrations(sql, group, layout);
  } catch (thrown) {
    throw toSetupError("migrate", thrown);
  }
}

/** Returns one script for all groups of tables, with a transaction for each group. */
export const printGroups = (groups: readonly TableGroup[], layout: TableLayout): string =>
  groups
    .map((group) => `BEGIN ISOLATION LEVEL READ COMMITTED;\n${migrationScript(group, layout)}\nCOMMIT;\n`)
    .join("\n");
