import { describeCacheAdapterConformance } from "@jaf/memory/testing";
import { createRedisCacheAdapter } from "../../src/index.ts";
import { type Opened, openers } from "./clients.ts";
import { freshPrefix } from "./stores.ts";

/** Runs the kit of a cache on clients of one kind. */
export function describeCacheOn(name: keyof typeof openers): void {
  describeCacheAdapterConformance({
    name: `redis, ${name}`,
    createCache: async () => {
      const keyPrefix = freshPrefix();
      const opened: Opened[] = [];
      const connect = async () => {
        const connection = await openers[name]();
        opened.push(connection);
        return createRedisCacheAdapter({ keyPrefix }, connection.client);
      };
      const dispose = async () => void (await Promise.all(opened.map(({ end }) => end())));
      return { cache: await connect(), connect, dispose };
    },
  });
}
