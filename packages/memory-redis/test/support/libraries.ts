import * as ioredis from "ioredis";
import * as ioredis5 from "ioredis-5";
import * as redis from "redis";
import * as redis5 from "redis-5";
import { ioredisConnections } from "../../src/connection/ioredis.ts";
import { nodeRedisConnections } from "../../src/connection/node-redis.ts";
import type { LoadConnections } from "../../src/open-store.ts";

/** Both major versions of the libraries with which a provider opens its own connection. */
export const libraries = {
  redis: async (...target) => nodeRedisConnections(redis, ...target),
  "redis 5": async (...target) => nodeRedisConnections(redis5 as unknown as typeof redis, ...target),
  ioredis: async (...target) => ioredisConnections(ioredis, ...target),
  "ioredis 5": async (...target) => ioredisConnections(ioredis5 as unknown as typeof ioredis, ...target),
} as const satisfies Readonly<Record<string, LoadConnections>>;
