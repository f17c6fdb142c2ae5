import type { PostgresClient } from "../client/clients.ts";
import { migrateGroups, printGroups } from "../migrations/migrator.ts";
import { userMemoryTables } from "../migrations/user-memory.ts";
import { type PostgresUserMemoryTables, parseTables } from "./config.ts";

/**
 * Creates or updates the tables, as `createPostgresUserMemory` does by itself unless `migrate: false`. Any number of
 * processes may call it at once. Rejects with a `MemorySetupError`.
 */
export async function migrate(client: PostgresClient, options: PostgresUserMemoryTables = {}): Promise<void> {
  await migrateGroups(client, [userMemoryTables], parseTables(options));
}

/** What `migrate` would run, as a script for `psql`: for databases whose schema the application may not change. */
export const printMigrations = (options: PostgresUserMemoryTables = {}): string =>
  printGroups([userMemoryTables], parseTables(options));
