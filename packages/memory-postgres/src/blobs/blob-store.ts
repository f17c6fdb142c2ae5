import type { BlobStore } from "@jaf/memory";
import { defineBlobStore } from "@jaf/memory/adapter";
import { adaptClient } from "../client/adapt-client.ts";
import type { PostgresClient } from "../client/clients.ts";
import { type PostgresConfig, parseConfig } from "../config.ts";
import { toSetupError } from "../errors.ts";
import { blobTables } from "../migrations/blobs.ts";
import { prepareTables } from "../migrations/migrator.ts";
import { openPool } from "../pool.ts";
import { createBlobBackend } from "./backend.ts";

/**
 * Keeps the bytes of large media in a table of Postgres or PGlite, for `withBlobs`, and creates it if it is missing. Takes
 * and throws what `createPostgresProvider` does. Give it the `tableName` of the
 * conversations, after which the table is named: `conversations_blobs`. `partitions` has no effect.
 *
 * With a `Client`, calls within a transaction of the application belong to it: then roll back messages and media together,
 * on one connection for both.
 */
export async function createPostgresBlobStore(
  config: PostgresConfig = {},
  client?: PostgresClient,
): Promise<BlobStore> {
  const settings = parseConfig(config);
  const operation = "createPostgresBlobStore";
  const opened =
    client === undefined ? await openPool(settings, operation) : { client, close: async () => {} };
  try {
    const sql = adaptClient(opened.client);
    const names = await prepareTables(sql, blobTables, { ...settings, operation });
    return defineBlobStore(createBlobBackend({ sql, names, close: opened.close }));
  } catch (thrown) {
    await opened.close().catch(() => {}); // What went wrong first is what helps.
    throw toSetupError(operation, thrown);
  }
}
