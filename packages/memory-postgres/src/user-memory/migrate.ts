import { adaptClient } from "../client/adapt-client.ts";
import type { PostgresClient } from "../client/clients.ts";
import { toSetupError } from "../errors.ts";
import { applyMigrations, transactionScript } from "../migrator/migrate.ts";
import { type PostgresUserMemoryTables, parseTables } from "./config.ts";
import { userMemoryMigrations } from "./migrations.ts";

/**
 * Creates or updates the tables, as `createPostgresUserMemory` does by itself unless `migrate: false`. Any number of
 * processes may call it at once. Rejects with a `MemorySetupError`.
 */
export async function migrate(client: PostgresClient, options: PostgresUserMemoryTables = {}): Promise<void> {
  const tables = parseTables(options);
  try {
    await applyMigrations(adaptClient(client), userMemoryMigrations, tables);
  } catch (thrown) {
    throw toSetupError("migrate", thrown);
  }
}

/** What `migrate` would run, as a script for `psql`: for databases whose schema the application may not change. */
export const printMigrations = (options: PostgresUserMemoryTables = {}): string =>
  transactionScript(userMemoryMigrations, parseTables(options));
