import type { BlobStore } from "@jaf/memory";
import { defineBlobStore } from "@jaf/memory/adapter";
import type { RedisClient } from "../client/clients.ts";
import { parseConfig, type RedisConfig } from "../config.ts";
import { openStore } from "../open-store.ts";
import { createBlobBackend } from "./backend.ts";

/**
 * Keeps the bytes of large media in Redis, for `withBlobs`: beside the conversations of a provider with the same
 * `keyPrefix`, or on a server of its own. Arguments and errors are those of `createRedisProvider`; `ttl` has no effect, as
 * media lives as long as a message names it. Give the server no policy that evicts keys.
 */
export async function createRedisBlobStore(
  config: RedisConfig = {},
  client?: RedisClient,
): Promise<BlobStore> {
  const opening = { settings: parseConfig(config), client, operation: "createRedisBlobStore" };
  return defineBlobStore(createBlobBackend(await openStore(opening)));
}
