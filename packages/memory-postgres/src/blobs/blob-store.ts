import type { BlobStore } from "@jaf/memory";
import { type BlobBackend, defineBlobStore } from "@jaf/memory/adapter";
import type { PostgresClient, SqlClient } from "../client/clients.ts";
import type { SqlRow, Statement } from "../client/statement.ts";
import { type PostgresConfig, parseConfig } from "../config.ts";
import { toMemoryError } from "../errors.ts";
import { blobTables } from "../migrations/blobs.ts";
import { openStore } from "../open-store.ts";
import type { ResolvedNames } from "../table-names.ts";
import { createBlobStatements } from "./statements.ts";

/**
 * Creates a store for the bytes of large media in a table of Postgres or PGlite, for `withBlobs`. Creates the table if
 * it is missing. `client` is a connected `Client` or a `Pool` of `pg`, or a PGlite instance. Closing the store doesn't
 * close `client`. Without `client`, the store opens a pool. Use the `tableName` of the conversations: the name of the
 * table begins with it, e.g. `conversations_blobs`. `partitions` has no effect.
 *
 * With a `Client`, calls within a transaction of the application are part of that transaction. To roll back messages
 * and media together, pass the same `Client` to the provider and to the store.
 *
 * Rejects with a `TypeError` for an invalid configuration, and with a `MemorySetupError` if the database can't be
 * reached or the table can't be created.
 *
 * @example
 * ```ts
 * import { withBlobs } from "@jaf/memory";
 * import { createPostgresBlobStore, createPostgresProvider } from "@jaf/memory-postgres";
 *
 * const config = { connectionString: "postgres://localhost/app" };
 * const provider = withBlobs(await createPostgresProvider(config), {
 *   blobs: await createPostgresBlobStore(config),
 * });
 * ```
 */
export async function createPostgresBlobStore(
  config: PostgresConfig = {},
  client?: PostgresClient,
): Promise<BlobStore> {
  const settings = parseConfig(config);
  const opening = { settings, client, group: blobTables, operation: "createPostgresBlobStore" };
  return openStore(opening, (tables) => defineBlobStore(createBlobBackend(tables)));
}

interface BlobBackendOptions {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
  /** Closes the pool if the store opened it. A client that the application passed in stays open. */
  readonly close: () => Promise<void>;
}

const textOf = (row: SqlRow | undefined, column: string): string => row?.[column] ?? "";

/** Creates the backend for blobs in a table. Each call is one statement. */
function createBlobBackend({ sql, names, close }: BlobBackendOptions): BlobBackend {
  const statements = createBlobStatements(names);
  const change = (statement: Statement) => sql.query({ ...statement, writes: true });

  return {
    name: "postgres",

    put: async ({ conversationId, sha256, data }, { id: hold, seconds }) => {
      // The values of a statement are texts.
      const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
      await change(statements.put({ conversationId, sha256, data: base64, hold, seconds }));
    },

    keep: async (conversationId, hashes, { id: hold, seconds }) => {
      const rows = await change(statements.keep({ conversationId, hashes, hold, seconds }));
      return rows.map((row) => textOf(row, "sha256"));
    },

    release: async (conversationId, hashes, hold) => {
      await change(statements.release({ conversationId, hashes, hold }));
    },

    get: async (conversationId, sha256) => {
      const [row] = await sql.query(statements.get({ conversationId, sha256 }));
      return row === undefined ? null : Buffer.from(textOf(row, "data"), "base64");
    },

    list: async (conversationId) => {
      const rows = await sql.query(statements.list({ conversationId }));
      return rows.map((row) => ({
        sha256: textOf(row, "sha256"),
        size: Number(textOf(row, "size")),
        token: JSON.parse(textOf(row, "token")) as string,
        held: textOf(row, "held") === "true",
      }));
    },

    remove: async (conversationId, blobs) => {
      const hashes = blobs.map(({ sha256 }) => sha256);
      const tokens = blobs.map(({ token }) => token);
      const [row] = await change(statements.remove({ conversationId, hashes, tokens }));
      return Number(textOf(row, "removed"));
    },

    due: async (limit, idleSeconds) => {
      const rows = await change(statements.due({ limit, idleSeconds }));
      return rows.map((row) => JSON.parse(textOf(row, "conversation_id")) as string);
    },

    close,
    toMemoryError,
  };
}
