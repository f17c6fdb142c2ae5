import type { VersionedMemoryProvider } from "@jaf/memory";
import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
import type { RedisClient } from "../client/clients.ts";
import { parseConfig, type RedisConfig } from "../config.ts";
import { openStore } from "../open-store.ts";
import { createConversationBackend } from "./backend.ts";

/** The provider that {@link createRedisProvider} returns. */
export interface RedisProvider extends VersionedMemoryProvider {}

async function open(operation: string, config: RedisConfig, client?: RedisClient): Promise<MemoryBackend> {
  const settings = parseConfig(config);
  return createConversationBackend({
    ...(await openStore({ settings, client, operation })),
    client,
    ttl: settings.ttl,
  });
}

/**
 * Opens only the backend of {@link createRedisProvider}, for applications that wrap it. The arguments and the errors
 * are the same as for `createRedisProvider`. The backend returns the body of each message as the string that was
 * written.
 *
 * @example
 * ```ts
 * import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
 * import { createRedisBackend } from "@jaf/memory-redis";
 *
 * declare function encrypted(backend: MemoryBackend): MemoryBackend;
 *
 * const backend = await createRedisBackend({ host: "localhost" });
 * const provider = defineMemoryProvider(encrypted(backend));
 * ```
 */
export const createRedisBackend = (config: RedisConfig = {}, client?: RedisClient): Promise<MemoryBackend> =>
  open("createRedisBackend", config, client);

/**
 * Creates a provider that stores conversations in Redis 6.2 or later. `client` is a connected client, pool, Cluster or
 * Sentinel client of `redis`, or a client or Cluster of `ioredis`. Closing the provider doesn't close `client`. With
 * `client`, the fields `host`, `port`, `username`, `password`, `db` and `url` have no effect. Without `client`, the
 * provider opens a connection.
 *
 * Throws a `TypeError` for an invalid configuration, and a `MemorySetupError` if the server can't be reached.
 *
 * @example
 * ```ts
 * import { createRedisProvider } from "@jaf/memory-redis";
 * import { createClient } from "redis";
 *
 * const client = createClient({ url: "redis://localhost:6379" });
 * client.on("error", (error) => console.error("Redis:", error.message));
 * await client.connect();
 *
 * const provider = await createRedisProvider({ keyPrefix: "app:", ttl: 86_400 }, client);
 * const stored = await provider.storeMessages("conv-123", [{ role: "user", content: "Hello" }]);
 * if (!stored.success) console.error(stored.error.message);
 * ```
 */
export const createRedisProvider = async (
  config: RedisConfig = {},
  client?: RedisClient,
): Promise<RedisProvider> => defineMemoryProvider(await open("createRedisProvider", config, client));
