export type { RedisUserMemoryBackendConfig, RedisUserMemoryConfig } from "./config.ts";
export { createRedisUserMemory, createRedisUserMemoryBackend } from "./user-memory.ts";
