import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRedisCacheAdapter, createRedisProvider } from "../../src/index.ts";
import { openers } from "../support/clients.ts";
import { freshPrefix } from "../support/stores.ts";

describe.each([
  "node-redis",
  "node-redis, RESP2",
  "node-redis pool",
  "node-redis cluster",
  "ioredis",
  "ioredis cluster",
] as const)("a cache on %s", (name) => {
  async function open(keyPrefix = freshPrefix()) {
    const connect = async () => {
      const { client, end } = await openers[name]();
      onTestFinished(async () => void (await end()));
      return client;
    };
    const [client, other] = await Promise.all([connect(), connect()]);
    return {
      client,
      keyPrefix,
      cache: createRedisCacheAdapter(client, { keyPrefix }),
      other: createRedisCacheAdapter(other, { keyPrefix }),
    };
  }

  it.each(["a", "%*:{}", "日本", "__proto__", "x".repeat(256), ""])("keeps the value of %j", async (key) => {
    const { cache, other } = await open();
    expect(await cache.get(key)).toBeUndefined();
    await cache.set(key, "1", { ttlSeconds: 100 });
    await cache.set(key, "2 é", { ttlSeconds: 100 });
    expect(await other.get(key)).toBe("2 é");
    expect(await cache.get(`${key}b`)).toBeUndefined();
    await other.delete(key);
    await other.delete(key);
    expect(await cache.get(key)).toBeUndefined();
  });

  it("lets one of many claim a key, and another when its time is up", async () => {
    const { cache, other } = await open();
    const claims = Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? cache : other).setIfAbsent("k", `${at}`, { ttlSeconds: 1 }),
    );
    const won = (await Promise.all(claims)).flatMap((isWon, at) => (isWon ? [at] : []));
    expect(won).toHaveLength(1);
    expect(await cache.get("k")).toBe(`${won[0]}`);
    expect(await other.setIfAbsent("k", "late", { ttlSeconds: 1 })).toBe(false);
    await sleep(1_100);
    expect(await cache.get("k")).toBeUndefined();
    expect(await other.setIfAbsent("k", "later", { ttlSeconds: 1 })).toBe(true);
  });

  it("is apart from the conversations of its prefix", async () => {
    const { cache, client, keyPrefix } = await open();
    const provider = await createRedisProvider({ keyPrefix }, client);
    await cache.set("k", "v", { ttlSeconds: 100 });
    for (const id of ["k", "cache:{k}", "cache:k"]) {
      const read = await provider.getConversation(id);
      expect(read).toMatchObject({ success: true, data: null });
    }
  });
});

it("what is no client is refused", () => {
  expect(() => createRedisCacheAdapter({} as never)).toThrow(TypeError);
});
