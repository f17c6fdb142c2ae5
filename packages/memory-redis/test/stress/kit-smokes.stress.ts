import { defineMemoryProvider, type MemoryBackend, mapMessages } from "@jaf/memory/adapter";
import { describeMemoryProvider } from "@jaf/memory/testing";
import { createRedisBackend, type createRedisProvider } from "../../src/index.ts";
import { openers } from "../support/clients.ts";
import { createStore } from "../support/stores.ts";

// The whole kit runs on node-redis, on one server and on a Cluster. These runs have another client or other message
// texts.
for (const client of ["node-redis, RESP2", "node-redis pool", "ioredis", "ioredis cluster"] as const) {
  describeMemoryProvider({
    name: `redis, ${client}`,
    rules: "smoke",
    createStore: () => createStore(openers[client]),
  });
}

/** A wrapper that stores every message in reverse. */
function reversed(backend: MemoryBackend): MemoryBackend {
  const reverse = (text: string) => [...text].toReversed().join("");
  return mapMessages(backend, { encode: reverse, decode: reverse });
}

const createReversed: typeof createRedisProvider = async (config, client) =>
  defineMemoryProvider(reversed(await createRedisBackend(config, client)));

describeMemoryProvider({
  name: "redis, behind a wrapper that reverses every text",
  rules: "smoke",
  createStore: () => createStore(openers["node-redis"], {}, createReversed),
});
