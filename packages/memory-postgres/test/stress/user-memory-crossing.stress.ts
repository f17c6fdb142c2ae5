import { describeUserMemory } from "@jaf/user-memory/testing";
import { openPool, serverStores } from "../support/user-memory.ts";

describeUserMemory("postgres, at length", serverStores(openPool), {
  operations: 10_000,
  timeoutMs: 240_000,
});
