import { describeUserMemory } from "@jaf/user-memory/testing";
import { openers } from "../support/clients.ts";
import { storeFactory } from "../support/user-memory.ts";

describeUserMemory("redis, at length", storeFactory(openers["node-redis"]), {
  operations: 10_000,
  timeoutMs: 240_000,
});
