import { expect, it, onTestFinished } from "vitest";
import { createRedisCacheAdapter, createRedisProvider } from "../src/index.ts";
import { describeCacheOn } from "./support/cache.ts";
import { openers } from "./support/clients.ts";
import { freshPrefix } from "./support/stores.ts";

const CLIENTS = [
  "node-redis",
  "node-redis, RESP2",
  "node-redis pool",
  "node-redis cluster",
  "ioredis",
  "ioredis cluster",
] as const;

describeCacheOn("node-redis");

it.each(CLIENTS)("a cache on %s is separate from the conversations with its prefix", async (name) => {
  const keyPrefix = freshPrefix();
  const { client, end } = await openers[name]();
  onTestFinished(async () => void (await end()));
  const provider = await createRedisProvider({ keyPrefix }, client);
  await createRedisCacheAdapter({ keyPrefix }, client).set("k", "v", { ttlSeconds: 100 });
  for (const id of ["k", "cache:{k}", "cache:k"]) {
    const read = await provider.getConversation(id);
    expect(read).toMatchObject({ success: true, data: null });
  }
});

it("refuses anything but a client", () => {
  expect(() => createRedisCacheAdapter({}, {} as never)).toThrow(TypeError);
});
