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
 * Opens the storage port of {@link createRedisProvider}, for wrappers:
 * `defineMemoryProvider(wrap(await createRedisBackend()))`. Arguments and errors are the same. Message bodies are
 * always strings.
 */
export const createRedisBackend = (config: RedisConfig = {}, client?: RedisClient): Promise<MemoryBackend> =>
  open("createRedisBackend", config, client);

/**
 * Creates a provider that stores conversations in Redis 6.2 or later. `client` is a connected client, pool, Cluster or
 * Sentinel client of `redis`, or a client or Cluster of `ioredis`. Closing the provider leaves it open, and `host`,
 * `port`, `username`, `password`, `db` and `url` have no effect. Without `client`, the provider opens a connection.
 *
 * Throws a `TypeError` for an invalid configuration, and a `MemorySetupError` if the server can't be reached.
 */
export const createRedisProvider = async (
  config: RedisConfig = {},
  client?: RedisClient,
): Promise<RedisProvider> => defineMemoryProvider(await open("createRedisProvider", config, client));
