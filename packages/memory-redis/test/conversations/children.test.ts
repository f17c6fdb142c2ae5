import { createClient, createCluster } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { until } from "../../../../test/polling.ts";
import { expectGone, FAMILY, found, hello, start, store, storeFamily } from "../support/families.ts";

const server = createClient({ url: inject("redisUrl") });
const cluster = createCluster({ rootNodes: inject("redisClusterUrls").map((url) => ({ url })) });

beforeAll(async () => {
  await Promise.all([server.connect(), cluster.connect()]);
});
afterAll(async () => {
  await Promise.all([server.close(), cluster.close()]);
});

describe.each([
  ["a server", server],
  ["a Cluster", cluster],
] as const)("children on %s", (_, client) => {
  it("have an index at their parent, and low scores in the index of their user", async () => {
    const { keys, provider } = await start(client);
    await store(provider, "p");
    await store(provider, "c", "p");
    const read = await provider.getConversation("c");
    const at = (read.success && read.data?.metadata?.lastActivity.getTime()) || expect.fail("no child");
    expect(await client.zRangeWithScores(keys.of("p").children, 0, -1)).toEqual([{ value: "c", score: at }]);
    expect(await client.zScore(keys.userIndex("u"), "c")).toBe(at - 1e15);
    expect(await client.zRange(keys.traceIndex("t"), 0, -1)).toEqual(["p"]);
    for (const index of keys.recencyIndexes) expect(await client.zScore(index, "c")).toBeNull();
  });

  it("leave only tombstones behind", async () => {
    const { keys, provider } = await start(client);
    await storeFamily(provider);
    // An index keeps an entry whose conversation was written in the millisecond of the deletion.
    const written = Date.now();
    await until("the next millisecond", async () => Date.now() > written + 1);
    await provider.deleteConversation("p");
    for (const id of Object.keys(FAMILY)) {
      const { conversation, messages, idempotency, traces, ownIds, children } = keys.of(id);
      for (const key of [conversation, messages, idempotency, traces, ownIds, children])
        expect(await client.exists(key)).toBe(0);
      expect(await client.exists(keys.conversationTombstone(id)), id).toBe(1);
    }
    for (const index of [keys.userIndex("u"), keys.traceIndex("t"), ...keys.recencyIndexes])
      expect(await client.exists(index), index).toBe(0);
  });

  it("have the ttl of their parent unless a write sets another one, and their index outlives them", async () => {
    const { keys, provider } = await start(client);
    await store(provider, "p", undefined, { ttlSeconds: 100 });
    const left = async (key: string) => (await client.pTTL(key)) / 1_000;
    await store(provider, "c", "p");
    expect(Math.round(await left(keys.of("c").conversation))).toBe(100);
    expect(await left(keys.of("p").children)).toBeGreaterThan(190);
    await store(provider, "own", "p", { ttlSeconds: 1_000 });
    expect(Math.round(await left(keys.of("own").conversation))).toBe(1_000);
    expect(await left(keys.of("p").children)).toBeGreaterThan(1_900);
    await provider.appendMessages("c", hello, {}, { ttlSeconds: 5_000 });
    for (const index of [keys.of("p").children, keys.userIndex("u")])
      expect(await left(index)).toBeGreaterThan(9_900);
  });

  it("of an expired parent are erased with a conversation that gets its id, and with the user", async () => {
    const { keys, provider } = await start(client);
    const expire = () => client.unlink(keys.of("p").conversation);
    await storeFamily(provider);
    await expire();
    expect(await found(provider, { childrenOf: "p" })).toEqual([]);
    expect(await found(provider, { childrenOf: "p", conversationId: "c1" })).toEqual([]);
    await store(provider, "p");
    expect(await found(provider, { childrenOf: "p" })).toEqual([]);
    await provider.deleteConversation("p");
    await expectGone(provider, Object.keys(FAMILY), "deleted");

    await storeFamily(provider);
    await expire();
    expect(await provider.deleteConversation("p")).toEqual({ success: true, data: false });
    await expectGone(provider, Object.keys(FAMILY), "deleted while expired");

    await storeFamily(provider);
    await expire();
    expect(await provider.clearUserConversations("u")).toEqual({ success: true, data: 0 });
    await expectGone(provider, Object.keys(FAMILY), "cleared");
    expect(await client.exists(keys.of("p").children)).toBe(0);
  });

  it("in a circle, through an expired parent that became a child of its own child, are deleted", async () => {
    const { keys, provider } = await start(client);
    await storeFamily(provider);
    await client.unlink(keys.of("p").conversation);
    await store(provider, "p", "g");
    expect(await provider.deleteConversation("c1")).toEqual({ success: true, data: true });
    await expectGone(provider, Object.keys(FAMILY), "circle");
  });
});
