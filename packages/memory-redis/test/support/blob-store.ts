import { describeBlobStoreConformance } from "@jaf/memory/testing";
import { createRedisBlobStore } from "../../src/index.ts";
import { type Opened, openers } from "./clients.ts";
import { freshPrefix } from "./stores.ts";

/** Runs the kit of a blob store on clients of one kind. */
export function describeBlobStoreOn(name: keyof typeof openers): void {
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
