export type { RedisUserMemoryBackendConfig, RedisUserMemoryConfig } from "./user-memory.ts";
export { createRedisUserMemory, createRedisUserMemoryBackend } from "./user-memory.ts";
