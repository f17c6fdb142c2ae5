import { describeMemoryProvider } from "@jaf/memory/testing";
import { openers } from "../support/clients.ts";
import { createStore } from "../support/stores.ts";

describeMemoryProvider({
  name: "redis, Cluster",
  createStore: () => createStore(openers["node-redis cluster"]),
});
