import { inject, it } from "vitest";
import { checkCrashes } from "../../../../test/media/crash.ts";
import { createRedisBlobStore, createRedisProvider } from "../../src/index.ts";
import { openers } from "../support/clients.ts";
import { freshPrefix } from "../support/stores.ts";

it("a killed writer of media leaves no dangling reference, and no blob permanently", async () => {
  const keyPrefix = freshPrefix();
  const { client, end } = await openers["node-redis"]();
  await checkCrashes({
    module: new URL("../support/media-child.ts", import.meta.url),
    args: [inject("redisUrl"), keyPrefix],
    store: await createRedisProvider({ keyPrefix }, client),
    blobs: await createRedisBlobStore({ keyPrefix }, client),
  });
  await end();
}, 120_000);
