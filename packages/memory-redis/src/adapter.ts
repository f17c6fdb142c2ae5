import type { MemoryAdapter } from "@jaf/memory";
import type { RedisClient } from "./client/clients.ts";
import { type RedisConfig, type RedisSettings, redisConfigSchema } from "./config.ts";
import { createRedisProvider, type RedisProvider } from "./conversations/provider.ts";

declare module "@jaf/memory" {
  interface MemoryAdapterTypes {
    redis: { readonly config: RedisConfig; readonly client: RedisClient; readonly provider: RedisProvider };
  }
}

const definition = {
  type: "redis",
  configSchema: redisConfigSchema,
  environment: {
    JAF_REDIS_URL: { field: "url", secret: true },
    JAF_REDIS_HOST: { field: "host", recommended: true, replacedBy: "JAF_REDIS_URL" },
    JAF_REDIS_PORT: { field: "port", format: "number", recommended: true, replacedBy: "JAF_REDIS_URL" },
    JAF_REDIS_USERNAME: { field: "username", replacedBy: "JAF_REDIS_URL" },
    JAF_REDIS_PASSWORD: { field: "password", secret: true, replacedBy: "JAF_REDIS_URL" },
    JAF_REDIS_DB: { field: "db", format: "number", replacedBy: "JAF_REDIS_URL" },
    JAF_REDIS_PREFIX: { field: "keyPrefix" },
    JAF_REDIS_TTL: { field: "ttl", format: "number" },
    JAF_REDIS_MIN_REPLICAS: { field: "minReplicas", format: "number" },
  },
  create: createRedisProvider,
} as const satisfies MemoryAdapter<RedisSettings, RedisClient>;

type Definition = typeof definition;

/** The type of {@link adapter}. */
export interface RedisAdapter extends Definition {}

/**
 * The adapter that `createMemoryProvider({ type: "redis" })` and `JAF_MEMORY_TYPE=redis` use. Both find the adapter by
 * the name of this package. In a bundled application, packages can't be found by name. There, pass the adapter to
 * `registerMemoryAdapter` before you create a provider.
 *
 * @example
 * ```ts
 * import { createMemoryProvider, registerMemoryAdapter } from "@jaf/memory";
 * import { adapter } from "@jaf/memory-redis";
 *
 * registerMemoryAdapter(adapter);
 * const provider = await createMemoryProvider({ type: "redis", host: "127.0.0.1" });
 * console.log(await provider.healthCheck());
 * await provider.close();
 * ```
 */
export const adapter: RedisAdapter = definition;
