import type { UserMemoryStore } from "@jaf/user-memory";
import { defineUserMemory, type UserMemoryBackend } from "@jaf/user-memory/adapter";
import type { RedisClient } from "../client/clients.ts";
import { openStore } from "../open-store.ts";
import { createUserMemoryBackend } from "./backend.ts";
import {
  parseUserMemoryBackendConfig,
  parseUserMemoryConfig,
  type RedisUserMemoryBackendConfig,
  type RedisUserMemoryConfig,
} from "./config.ts";

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
  const store = await openStore({ settings, client, operation: "createRedisUserMemory" });
  return defineUserMemory(createUserMemoryBackend(store), options);
}

/**
 * The storage port of {@link createRedisUserMemory} by itself, to be wrapped before `defineUserMemory` makes a store of it:
 * what every store can be given is told to that. The same arguments and errors.
 */
export async function createRedisUserMemoryBackend(
  config: RedisUserMemoryBackendConfig = {},
  client?: RedisClient,
): Promise<UserMemoryBackend> {
  const settings = parseUserMemoryBackendConfig(config);
  const opening = { settings, client, operation: "createRedisUserMemoryBackend" };
  return createUserMemoryBackend(await openStore(opening));
}
