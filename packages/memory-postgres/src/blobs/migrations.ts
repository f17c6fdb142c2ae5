import type { MigrationSet } from "../migrator/migration-set.ts";
import { migrations } from "./generated-migrations.ts";
import { BLOBS_SUFFIX } from "./tables.ts";

/** What makes the table of blobs. Its journal is another than the conversations', also where the prefix is one. */
export const blobMigrations: MigrationSet = {
  migrations,
  journalSuffix: "_blob_migrations",
  tables: [BLOBS_SUFFIX],
  firstRepeatable: migrations.length,
  // There are none.
  hasOwnFunctions: () => "true",
  remedy: "migrateBlobs(), or the script of printBlobMigrations()",
};
