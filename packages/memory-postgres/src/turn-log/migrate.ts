import { adaptClient } from "../client/adapt-client.ts";
import type { PostgresClient } from "../client/clients.ts";
import { type PostgresTables, parseTables } from "../config.ts";
import { toSetupError } from "../errors.ts";
import { applyMigrations, transactionScript } from "../migrator/migrate.ts";
import type { TableLayout } from "../schema/names.ts";
import { turnLogMigrations } from "./migrations.ts";

/** In one piece, also where the conversations' tables are divided. */
function layoutOf(options: PostgresTables): TableLayout {
  const { tableName, schema } = parseTables(options);
  return { tableName, schema };
}

/**
 * Creates or updates the tables of a turn log, as `createPostgresTurnLog` does by itself unless `migrate: false`. Any number
 * of processes may call it at once. Takes the same options as `migrate`; `partitions` has no effect. Rejects with a
 * `MemorySetupError`.
 */
export async function migrateTurnLog(client: PostgresClient, options: PostgresTables = {}): Promise<void> {
  const tables = layoutOf(options);
  try {
    await applyMigrations(adaptClient(client), turnLogMigrations, tables);
  } catch (thrown) {
    throw toSetupError("migrateTurnLog", thrown);
  }
}

/** What `migrateTurnLog` would run, as a script for `psql`: for databases whose schema the application may not change. */
export const printTurnLogMigrations = (options: PostgresTables = {}): string =>
  transactionScript(turnLogMigrations, layoutOf(options));
