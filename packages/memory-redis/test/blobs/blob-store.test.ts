import { describeBlobStoreConformance } from "@jaf/memory/testing";
import { createRedisBlobStore } from "../../src/index.ts";
import { type Opened, openers } from "../support/clients.ts";
import { freshPrefix } from "../support/stores.ts";

for (const name of [
  "node-redis",
  "node-redis, RESP2",
  "node-redis pool",
  "node-redis cluster",
  "ioredis",
  "ioredis cluster",
] as const) {
  describeBlobStoreConformance({
    name: `redis, ${name}`,
    createStore: async () => {
      const keyPrefix = freshPrefix();
      const opened: Opened[] = [];
      const connect = async () => {
        const connection = await openers[name]();
        opened.push(connection);
        return createRedisBlobStore({ keyPrefix }, connection.client);
      };
      const dispose = async () => void (await Promise.all(opened.map(({ end }) => end())));
      return { store: await connect(), connect, dispose };
    },
  });
}
