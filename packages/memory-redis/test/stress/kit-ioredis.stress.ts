import { describeMemoryProvider } from "@jaf/memory/testing";
import { openers } from "../support/clients.ts";
import { createStore } from "../support/stores.ts";

describeMemoryProvider({ name: "redis, ioredis", createStore: () => createStore(openers.ioredis) });
