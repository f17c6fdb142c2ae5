import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openers } from "../support/clients.ts";
import { backendFactory, storeFactory } from "../support/user-memory.ts";

const open = openers["node-redis cluster"];

describeUserMemoryBackend("redis, Cluster", backendFactory(open), {
  ...{ seeds: [1, 2, 3, 4], operations: 2_000, timeoutMs: 120_000 },
});
describeUserMemory("redis, Cluster", storeFactory(open));
