import type { VersionedMemoryProvider } from "@jaf/memory";
import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
import type { RedisClient } from "../client/clients.ts";
import { parseConfig, type RedisConfig } from "../config.ts";
import { openStore } from "../open-store.ts";
import { createConversationBackend } from "./backend.ts";

export interface RedisProvider extends VersionedMemoryProvider {}

async function open(operation: string, config: RedisConfig, client?: RedisClient): Promise<MemoryBackend> {
  const settings = parseConfig(config);
  return createConversationBackend({
    ...(await openStore({ settings, client, operation })),
    ttl: settings.ttl,
  });
}

/**
 * The storage port of {@link createRedisProvider}, to be wrapped: `defineMemoryProvider(wrap(await createRedisBackend()))`.
 * Takes and throws what that does. Bodies of messages are strings, always.
 */
export const createRedisBackend = (config: RedisConfig = {}, client?: RedisClient): Promise<MemoryBackend> =>
  open("createRedisBackend", config, client);

/**
 * Keeps conversations in Redis 6.2 or later. `client` is a connected client, pool, Cluster or Sentinel client of
 * `redis`, or a client or Cluster of `ioredis`, and stays open when the provider is closed. Without one, a connection
 * is opened by the configuration; with one, `host`, `port`, `username`, `password`, `db` and `url` have no effect.
 *
 * Throws a `TypeError` for an invalid configuration, and a `MemorySetupError` when the server can't be reached.
 */
export const createRedisProvider = async (
  config: RedisConfig = {},
  client?: RedisClient,
): Promise<RedisProvider> => defineMemoryProvider(await open("createRedisProvider", config, client));
