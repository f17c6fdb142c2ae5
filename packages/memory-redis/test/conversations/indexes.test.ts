import type { MemoryProvider, Message } from "@jaf/memory";
import { createClient, createCluster } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { adaptClient } from "../../src/client/adapt-client.ts";
import { createDeadlines } from "../../src/client/command-deadlines.ts";
import { createIndexes } from "../../src/conversations/indexes.ts";
import { scripts } from "../../src/conversations/scripts/index.ts";
import { createRedisProvider, type RedisClient } from "../../src/index.ts";
import { createKeys } from "../../src/keys.ts";
import { createScriptRunner } from "../../src/lua.ts";
import { creating } from "../support/creating.ts";
import { freshPrefix } from "../support/stores.ts";

const hello: readonly Message[] = [{ role: "user", content: "Hello" }];

const found = async (provider: MemoryProvider, query: Parameters<MemoryProvider["findConversations"]>[0]) => {
  const result = await provider.findConversations(query);
  return result.success
    ? result.data.map(({ conversationId }) => conversationId)
    : expect.fail(result.error.message);
};

async function connectServer() {
  const client = createClient({ url: inject("redisUrl") });
  await client.connect();
  return client;
}

async function connectCluster() {
  const client = createCluster({ rootNodes: inject("redisClusterUrls").map((url) => ({ url })) });
  await client.connect();
  return client;
}

interface IndexClient {
  zAdd(key: string, entry: { value: string; score: number }): Promise<unknown>;
  zScore(key: string, member: string): Promise<number | null>;
  zCard(key: string): Promise<number>;
  zRem(key: string, member: string): Promise<unknown>;
  del(key: string): Promise<unknown>;
  close(): Promise<unknown> | unknown;
}

describe.each([
  ["one server", connectServer],
  ["a Cluster", connectCluster],
])("indexes on %s", (_, connect) => {
  let client: IndexClient & RedisClient;
  beforeAll(async () => {
    client = (await connect()) as unknown as IndexClient & RedisClient;
  });
  afterAll(async () => void (await client.close()));

  async function open() {
    const keyPrefix = freshPrefix();
    const keys = createKeys(keyPrefix);
    const run = createScriptRunner(adaptClient(client), createDeadlines(10_000), scripts);
    const provider = creating(await createRedisProvider({ keyPrefix }, client));
    return { provider, keys, run, maintenance: createIndexes(run, keys) };
  }

  const everyIndex = (keys: ReturnType<typeof createKeys>, id: string) => [
    keys.recencyIndex(id),
    keys.userIndex("u"),
    keys.traceIndex("t"),
  ];

  it("skip and repair superfluous entries after a crash", async () => {
    const { provider, keys } = await open();
    await provider.appendMessages("there", hello, { userId: "u", traceId: "t" });
    const indexes = everyIndex(keys, "gone");
    for (const index of indexes) await client.zAdd(index, { value: "gone", score: Date.now() - 5_000 });
    for (const query of [{}, { userId: "u" }, { traceId: "t" }])
      expect(await found(provider, query)).toEqual(["there"]);
    for (const index of indexes) expect(await client.zScore(index, "gone")).toBeNull();
  });

  it.each(["getStats", "clearUserConversations"] as const)("are repaired by %s", async (method) => {
    const { provider, keys } = await open();
    await client.zAdd(keys.userIndex("u"), { value: "gone", score: Date.now() - 5_000 });
    await provider[method]("u");
    expect(await client.zCard(keys.userIndex("u"))).toBe(0);
  });

  it("never show a user another user's conversation, even with wrong entries", async () => {
    const { provider, keys } = await open();
    await provider.appendMessages("theirs", hello, { userId: "v", traceId: "t" });
    await client.zAdd(keys.userIndex("u"), { value: "theirs", score: Date.now() - 5_000 });
    expect(await found(provider, { userId: "u" })).toEqual([]);
    expect(await found(provider, { userId: "u", traceId: "t" })).toEqual([]);
    await client.zAdd(keys.userIndex("u"), { value: "theirs", score: Date.now() - 5_000 });
    expect(await provider.getStats("u")).toMatchObject({ data: { totalConversations: 0 } });
    await client.zAdd(keys.userIndex("u"), { value: "theirs", score: Date.now() - 5_000 });
    expect(await provider.clearUserConversations("u")).toMatchObject({ data: 0 });
    expect(await found(provider, { userId: "v" })).toEqual(["theirs"]);
  });

  it("keep an entry if its conversation is about to be written", async () => {
    const { provider, keys, maintenance } = await open();
    const listed = { conversationId: "c", userId: "u", traceIds: ["t"] };
    await maintenance.reserve(listed, { nowMs: Date.now(), ttlMs: 0 });
    for (const query of [{}, { userId: "u" }, { traceId: "t" }])
      expect(await found(provider, query)).toEqual([]);
    await provider.getStats("u");
    for (const index of everyIndex(keys, "c")) expect(await client.zScore(index, "c")).not.toBeNull();
  });

  it("list by the conversations' own times if a crash left a wrong time", async () => {
    const { provider, keys } = await open();
    for (const id of ["1", "2", "3", "4"]) {
      await provider.appendMessages(id, hello, { userId: "u" });
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    await client.zAdd(keys.userIndex("u"), { value: "1", score: Date.now() + 60_000.5 });
    expect(await found(provider, { userId: "u", limit: 2 })).toEqual(["4", "3"]);
    await client.zAdd(keys.userIndex("u"), { value: "2", score: Date.now() + 60_000.5 });
    expect(await found(provider, { userId: "u" })).toEqual(["4", "3", "2", "1"]);
    expect(await found(provider, { userId: "u", limit: 1 })).toEqual(["4"]);
  });

  it("don't grow with expired conversations, even without reads", async () => {
    const { provider, keys } = await open();
    const index = keys.userIndex("u");
    const stale = Array.from({ length: 400 }, (_, n) => ({ value: `old-${n}`, score: 1_000 + n }));
    await Promise.all(stale.map((entry) => client.zAdd(index, entry)));
    for (let n = 0; n < 300; n++) {
      await provider.appendMessages(`new-${n}`, hello, { userId: "u" }, { ttlSeconds: 100 });
    }
    // About 600 entries were checked on average, and most were stale.
    expect(await client.zCard(index)).toBeLessThan(600);
    expect(await provider.getStats("u")).toMatchObject({ data: { totalConversations: 300 } });
    expect(await client.zCard(index)).toBe(300);
  });
});

describe("a prefix with a hash tag", () => {
  it("makes each write on a Cluster one step, including the indexes", async () => {
    const client = await connectCluster();
    const provider = creating(await createRedisProvider({ keyPrefix: `{${freshPrefix()}}:` }, client));
    await provider.appendMessages("c", hello, { userId: "u", traceId: "t" });
    for (const query of [{}, { userId: "u" }, { traceId: "t" }])
      expect(await found(provider, query)).toEqual(["c"]);
    expect(await provider.clearUserConversations("u")).toMatchObject({ data: 1 });
    await client.close();
  });
});
