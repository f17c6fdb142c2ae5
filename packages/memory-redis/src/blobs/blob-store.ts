import type { BlobStore } from "@jaf/memory";
import { type BlobBackend, type BlobEntry, defineBlobStore } from "@jaf/memory/adapter";
import type { RedisClient } from "../client/clients.ts";
import { parseConfig, type RedisConfig } from "../config.ts";
import { toMemoryError } from "../errors.ts";
import { createKeys } from "../keys.ts";
import { list, number, text } from "../lua.ts";
import { createCalls, openStore, type StoreOptions } from "../open-store.ts";
import { scripts } from "./scripts.ts";

/**
 * Creates a store for the bytes of large media in Redis, for `withBlobs`. The store can use the server and the
 * `keyPrefix` of the conversations. `client` is a connected client of `redis` or `ioredis`. Closing the store doesn't
 * close `client`. Without `client`, the store opens a connection. `ttl` has no effect: media is kept as long as a
 * message refers to it. The server must not be configured to evict keys.
 *
 * Throws a `TypeError` for an invalid configuration, and a `MemorySetupError` if the server can't be reached.
 *
 * @example
 * ```ts
 * import { withBlobs } from "@jaf/memory";
 * import { createRedisBlobStore, createRedisProvider } from "@jaf/memory-redis";
 *
 * const config = { host: "localhost", port: 6379 };
 * const provider = withBlobs(await createRedisProvider(config), {
 *   blobs: await createRedisBlobStore(config),
 * });
 * ```
 */
export async function createRedisBlobStore(
  config: RedisConfig = {},
  client?: RedisClient,
): Promise<BlobStore> {
  const opening = { settings: parseConfig(config), client, operation: "createRedisBlobStore" };
  return defineBlobStore(createBlobBackend(await openStore(opening)));
}

function toEntries(reply: readonly unknown[]): readonly BlobEntry[] {
  return Array.from({ length: reply.length / 4 }, (_, at) => ({
    sha256: text(reply[4 * at]),
    size: number(reply[4 * at + 1]),
    token: text(reply[4 * at + 2]),
    held: number(reply[4 * at + 3]) === 1,
  }));
}

/** Creates the backend for blobs in Redis. Blobs are stored as base64. */
function createBlobBackend(options: StoreOptions): BlobBackend {
  const { port, close } = options;
  const keys = createBlobKeys(options.keyPrefix);
  const atomic = !port.isCluster || keys.inOneSlot;
  const { deadlines, wait, run } = createCalls(options, scripts);
  const due = atomic ? [keys.due] : [];

  const addDue = (conversationId: string): Promise<unknown> =>
    run("addDue", { keys: [keys.due], args: [conversationId] });

  return {
    name: "redis",

    // On a Cluster, the list of due conversations may be on another server. The conversation's entry is written before
    // the blob, because a crash must not leave a blob without an entry. It is written again after the blob, because a
    // concurrent `remove` may have removed it.
    put: async ({ conversationId, sha256, data }, { id, seconds }) => {
      const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
      const args = [sha256, data.byteLength, id, seconds, bytes, conversationId];
      const scriptKeys = [keys.records(conversationId), keys.bytes(conversationId, sha256), ...due] as const;
      if (!atomic) await addDue(conversationId);
      await run("put", { keys: scriptKeys, args }, wait);
      if (!atomic) await addDue(conversationId);
    },

    keep: async (conversationId, hashes, { id, seconds }) => {
      const call = { keys: [keys.records(conversationId)], args: [id, seconds, ...hashes] } as const;
      return list(await run("keep", call, wait)).map(text);
    },

    release: async (conversationId, hashes, holdId) => {
      const records = keys.records(conversationId);
      const fields = hashes.map((sha256) => `h${sha256}${holdId}`);
      await deadlines(port.send(["HDEL", records, ...fields], records));
    },

    get: async (conversationId, sha256) => {
      const key = keys.bytes(conversationId, sha256);
      const bytes = await deadlines(port.send(["GET", key], key));
      return bytes == null ? null : Buffer.from(text(bytes), "base64");
    },

    list: async (conversationId) =>
      toEntries(list(await run("list", { keys: [keys.records(conversationId)], args: [] }))),

    remove: async (conversationId, blobs) => {
      const bytes = blobs.map(({ sha256 }) => keys.bytes(conversationId, sha256));
      const reply = await run(
        "remove",
        {
          keys: [keys.records(conversationId), ...bytes, ...due],
          args: [atomic ? conversationId : "", ...blobs.flatMap(({ sha256, token }) => [sha256, token])],
        },
        wait,
      );
      const [removed, others] = list(reply).map(number);
      if (!atomic && others === 0) {
        await deadlines(port.send(["ZREM", keys.due, conversationId], keys.due));
        // A concurrent `put` may have stored a blob after it added the entry that is now removed.
        const again = await run("list", { keys: [keys.records(conversationId)], args: [] });
        if (list(again).length > 0) await addDue(conversationId);
      }
      return removed ?? 0;
    },

    due: async (limit, idleSeconds) =>
      list(await run("due", { keys: [keys.due], args: [limit, idleSeconds] })).map(text),

    close,
    toMemoryError: (operation, thrown) => toMemoryError(operation, thrown, port.isCluster),
  };
}

/**
 * Returns functions that build the keys of blobs. `due` is the key of the list of due conversations (those whose blobs
 * are to be swept).
 */
function createBlobKeys(prefix: string) {
  // Braces in a conversation id are escaped, so a conversation's key never equals one of these keys.
  const keys = createKeys(prefix);
  return {
    inOneSlot: keys.inOneSlot,
    records: (conversationId: string): string => `${prefix}blobs:{${keys.conversation(conversationId)}}`,
    bytes: (conversationId: string, sha256: string): string =>
      `${prefix}blob:{${keys.conversation(conversationId)}}:${sha256}`,
    due: `${prefix}{blobs}:due`,
  };
}
