export type { RedisUserMemoryConfig } from "./config.ts";
export { createRedisUserMemory } from "./user-memory.ts";
