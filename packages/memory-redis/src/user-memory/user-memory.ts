import { defineUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import type { RedisClient } from "../client/clients.ts";
import { openPort } from "../opening.ts";
import { createRedisUserMemoryBackend } from "./backend.ts";
import { parseUserMemoryConfig, type RedisUserMemoryConfig } from "./config.ts";

const operation = "createRedisUserMemory";

/**
 * Keeps facts about users in Redis 6.2 or later. `client` is a connected client, pool, Cluster or Sentinel client of
 * `redis`, or a client or Cluster of `ioredis`, and stays open when the store is closed. Without one, a connection is
 * opened by the configuration; with one, `host`, `port`, `username`, `password`, `db` and `url` have no effect.
 *
 * Throws a `TypeError` for an invalid configuration, and a `MemorySetupError` when the server can't be reached.
 */
export async function createRedisUserMemory(
  config: RedisUserMemoryConfig = {},
  client?: RedisClient,
): Promise<UserMemoryStore> {
  const { settings, options } = parseUserMemoryConfig(config);
  const { keyPrefix, minReplicas, commandTimeoutMs } = settings;
  const { port, close } = await openPort({ settings, client, operation });
  const backend = createRedisUserMemoryBackend({ port, keyPrefix, minReplicas, commandTimeoutMs, close });
  return defineUserMemory(backend, options);
}
