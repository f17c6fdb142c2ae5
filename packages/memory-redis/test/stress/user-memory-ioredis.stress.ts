import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openers } from "../support/clients.ts";
import { backendFactory, storeFactory } from "../support/user-memory.ts";

describeUserMemoryBackend("redis, ioredis", backendFactory(openers.ioredis));
describeUserMemory("redis, ioredis", storeFactory(openers.ioredis));
describeUserMemory("redis, Cluster, ioredis", storeFactory(openers["ioredis cluster"]));
describeUserMemoryBackend("redis, Cluster, ioredis", backendFactory(openers["ioredis cluster"]), {
  ...{ seeds: [1, 2, 3, 4], operations: 2_000, timeoutMs: 120_000 },
});
