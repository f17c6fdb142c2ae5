export { adapter, type RedisAdapter } from "./adapter.ts";
export { createRedisBlobStore } from "./blobs/blob-store.ts";
export { createRedisCacheAdapter } from "./cache-adapter.ts";
export type {
  IoredisClient,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisSentinel,
  RedisClient,
} from "./client/clients.ts";
export { diagnoseRedisClient, type RedisClientFinding } from "./client/diagnose-client.ts";
export { type RedisConfig, type RedisConfigSchema, redisConfigSchema } from "./config.ts";
export { createRedisBackend, createRedisProvider, type RedisProvider } from "./conversations/provider.ts";
export { createRedisInbox } from "./inbox/inbox.ts";
export { createRedisLedger, type RedisLedgerConfig } from "./ledger/ledger.ts";
export { createRedisTimers } from "./timers/timers.ts";
export { createRedisTurnLog } from "./turn-log/turn-log.ts";
