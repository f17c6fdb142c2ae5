export { adapter } from "./adapter.ts";
export { createRedisBlobStore } from "./blobs/blob-store.ts";
export { createRedisCacheAdapter } from "./cache/cache-adapter.ts";
export type {
  IoredisClient,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisSentinel,
  RedisClient,
} from "./client/clients.ts";
export { type RedisConfig, redisConfigSchema } from "./config.ts";
export { diagnoseRedisClient } from "./diagnostics/diagnose.ts";
export type { RedisClientFinding } from "./diagnostics/finding.ts";
export { createRedisBackend, createRedisProvider, type RedisProvider } from "./provider.ts";
export { createRedisTurnLog } from "./turn-log/turn-log.ts";
