import { defineMemoryProvider, type MemoryBackend, mapMessages } from "@jaf/memory/adapter";
import { describeMemoryProvider } from "@jaf/memory/testing";
import { createRedisBackend, type createRedisProvider } from "../../src/index.ts";
import { openers } from "../support/clients.ts";
import { createStore } from "../support/stores.ts";

/** Keeps every message the wrong way round. */
function reversed(backend: MemoryBackend): MemoryBackend {
  const reverse = (text: string) => [...text].toReversed().join("");
  return mapMessages(backend, { encode: reverse, decode: reverse });
}

const createReversed: typeof createRedisProvider = async (config, client) =>
  defineMemoryProvider(reversed(await createRedisBackend(config, client)));

describeMemoryProvider({
  name: "redis, behind a wrapper that reverses every text",
  createStore: () => createStore(openers["node-redis"], {}, createReversed),
});
