import type { BlobStore } from "@jaf/memory";
import { type BlobBackend, type BlobHold, defineBlobStore } from "@jaf/memory/adapter";
import type { SqliteClient } from "../client/client.ts";
import type { SqliteConfig } from "../config.ts";
import type { OpenedDatabase, SqliteDatabase } from "../database.ts";
import { toMemoryError } from "../errors.ts";
import { openStore } from "../open-store.ts";

/**
 * Creates a store for the bytes of large media in a SQLite file, for `withBlobs`. Creates the file and its tables if
 * they are missing. With `database`, which `openSqlite` returns, the store uses that connection, and closing the store
 * doesn't close it.
 *
 * Rejects with a `TypeError` for an invalid configuration, and with a `MemorySetupError` if the file can't be opened,
 * isn't ours, or was written by a newer version.
 *
 * @example
 * ```ts
 * import { withBlobs } from "@jaf/memory";
 * import { createSqliteBlobStore, createSqliteProvider, openSqlite } from "@jaf/memory-sqlite";
 *
 * const database = await openSqlite("memory.db");
 * const provider = withBlobs(await createSqliteProvider({}, database), {
 *   blobs: await createSqliteBlobStore({}, database),
 * });
 * ```
 */
export async function createSqliteBlobStore(
  config: SqliteConfig,
  database?: SqliteDatabase,
): Promise<BlobStore> {
  const store = await openStore(config, database, "createSqliteBlobStore");
  return defineBlobStore(createBlobBackend(store.database, store.close));
}

// `node:sqlite` passes zero bytes as null.
const PUT = `
INSERT INTO blobs (conversation_id, sha256, token, seen_at, size, data) VALUES (?, ?, ?, ?, ?, coalesce(?, x''))
ON CONFLICT (conversation_id, sha256) DO UPDATE SET
  token = excluded.token, seen_at = excluded.seen_at, size = excluded.size, data = excluded.data
RETURNING id`;
const KEEP = "UPDATE blobs SET token = ? WHERE conversation_id = ? AND sha256 = ? RETURNING id";
const END_HOLDS = "DELETE FROM blob_holds WHERE blob = ? AND ends_at <= ?";
const HOLD = `
INSERT INTO blob_holds (blob, hold_id, ends_at) VALUES (?, ?, ?)
ON CONFLICT (blob, hold_id) DO UPDATE SET ends_at = excluded.ends_at`;
const RELEASE = `
DELETE FROM blob_holds WHERE hold_id = ? AND blob = (SELECT id FROM blobs WHERE conversation_id = ? AND sha256 = ?)`;
const GET = "SELECT data FROM blobs WHERE conversation_id = ? AND sha256 = ?";
const LIST = `
SELECT sha256, size, token, EXISTS (SELECT 1 FROM blob_holds WHERE blob = blobs.id AND ends_at > ?) AS held
FROM blobs WHERE conversation_id = ?`;
const REMOVE = "DELETE FROM blobs WHERE conversation_id = ? AND sha256 = ? AND token = ?";
// Of the blobs of a conversation, only the one that was seen last counts.
const DUE = `
SELECT DISTINCT conversation_id, seen_at FROM blobs WHERE seen_at <= ? AND NOT EXISTS (
  SELECT 1 FROM blobs AS later WHERE later.conversation_id = blobs.conversation_id AND later.seen_at > blobs.seen_at)
ORDER BY seen_at LIMIT ?`;
const SEEN = "UPDATE blobs SET seen_at = ? WHERE conversation_id = ?";

function hold(client: SqliteClient, blob: number, { id, seconds }: BlobHold): void {
  const now = Date.now();
  client.run(END_HOLDS, blob, now);
  client.run(HOLD, blob, id, Math.min(now + seconds * 1_000, Number.MAX_SAFE_INTEGER));
}

/** Creates the backend for blobs in a SQLite file. `close` closes what the caller opened for it. */
export const createBlobBackend = (database: OpenedDatabase, close: () => Promise<void>): BlobBackend => ({
  name: "sqlite",

  put: ({ conversationId, sha256, data }, given) =>
    database.write((client) => {
      const row = client.first(PUT, conversationId, sha256, given.id, Date.now(), data.byteLength, data);
      hold(client, Number(row?.["id"]), given);
    }),

  keep: (conversationId, hashes, given) =>
    database.write((client) =>
      hashes.filter((sha256) => {
        const row = client.first(KEEP, given.id, conversationId, sha256);
        if (row !== undefined) hold(client, Number(row["id"]), given);
        return row !== undefined;
      }),
    ),

  release: (conversationId, hashes, holdId) =>
    database.write((client) => {
      for (const sha256 of hashes) client.run(RELEASE, holdId, conversationId, sha256);
    }),

  get: (conversationId, sha256) =>
    database.read((client) => {
      const data = client.first(GET, conversationId, sha256)?.["data"];
      return data instanceof Uint8Array ? data : null;
    }),

  list: (conversationId) =>
    database.read((client) =>
      client.all(LIST, Date.now(), conversationId).map(({ sha256, size, token, held }) => ({
        sha256: String(sha256),
        size: Number(size),
        token: String(token),
        held: held === 1,
      })),
    ),

  remove: (conversationId, blobs) =>
    database.write((client) => {
      const removed = blobs.map(({ sha256, token }) => client.run(REMOVE, conversationId, sha256, token));
      return removed.reduce((sum, count) => sum + count, 0);
    }),

  due: (limit, idleSeconds) =>
    database.write((client) => {
      const now = Date.now();
      const rows = client.all(DUE, now - idleSeconds * 1_000, limit);
      const ids = rows.map(({ conversation_id }) => String(conversation_id));
      for (const id of ids) client.run(SEEN, now, id);
      return ids;
    }),

  close,
  toMemoryError,
});
