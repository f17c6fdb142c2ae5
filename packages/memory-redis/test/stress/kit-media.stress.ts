import { describeMemoryProvider } from "@jaf/memory/testing";
import { mediaEverywhere } from "../../../../test/media/everywhere.ts";
import { createRedisBlobStore, createRedisProvider } from "../../src/index.ts";
import { openers } from "../support/clients.ts";
import { createStore } from "../support/stores.ts";

describeMemoryProvider({
  name: "redis, every message of it in a blob store",
  createStore: () =>
    createStore(openers["node-redis"], {}, async (config, client) =>
      mediaEverywhere(await createRedisProvider(config, client), await createRedisBlobStore(config, client)),
    ),
});
