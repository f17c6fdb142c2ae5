import type { BlobStore } from "@jaf/memory";
import { defineBlobStore } from "@jaf/memory/adapter";
import type { PostgresClient } from "../client/clients.ts";
import { type PostgresConfig, parseConfig } from "../config.ts";
import { blobTables } from "../migrations/blobs.ts";
import { openTables } from "../open-tables.ts";
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
  const opening = { settings, client, group: blobTables, operation: "createPostgresBlobStore" };
  return openTables(opening, (tables) => defineBlobStore(createBlobBackend(tables)));
}
