import { adaptClient, type PostgresClient } from "../client.ts";
import { applyMigrations, transactionScript } from "../migrator/migrate.ts";
import { toSetupError } from "../setup-error.ts";
import { type PostgresBlobTables, parseBlobTables } from "./config.ts";
import { blobMigrations } from "./migrations.ts";

/**
 * Creates or updates the table of blobs, as `createPostgresBlobStore` does by itself unless `migrate: false`. Any number of
 * processes may call it at once. Rejects with a `MemorySetupError`.
 */
export async function migrateBlobs(client: PostgresClient, options: PostgresBlobTables = {}): Promise<void> {
  const tables = parseBlobTables(options);
  try {
    await applyMigrations(adaptClient(client), blobMigrations, tables);
  } catch (thrown) {
    throw toSetupError("migrateBlobs", thrown);
  }
}

/** What `migrateBlobs` would run, as a script for `psql`: for databases whose schema the application may not change. */
export const printBlobMigrations = (options: PostgresBlobTables = {}): string =>
  transactionScript(blobMigrations, parseBlobTables(options));
