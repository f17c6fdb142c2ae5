import type { Message, ReadOptions, VersionedMemoryProvider } from "@jaf/memory";
import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { createRedisBackend, createRedisProvider, type RedisConfig } from "../../src/index.ts";
import { freshPrefix } from "../support/stores.ts";

let redis: ReturnType<typeof createClient>;

beforeAll(async () => {
  redis = createClient({ url: inject("redisUrl") });
  await redis.connect();
});
afterAll(() => redis.close());

const numbered = (from: number, count: number): readonly Message[] =>
  Array.from({ length: count }, (_, index) => ({ role: "user", content: `${from + index}` }));

const idsOf = (from: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `m${from + index}`);

async function open(config: RedisConfig = {}) {
  const keyPrefix = freshPrefix();
  const provider = await createRedisProvider({ ...config, keyPrefix }, redis);
  const ids = `${keyPrefix}ids:{${keyPrefix}c}`;
  const stored = async () =>
    Object.entries(await redis.hGetAll(ids))
      .filter(([field]) => field.startsWith("p"))
      .map(([field, id]) => [Number(field.slice(1)), id])
      .sort(([a], [b]) => Number(a) - Number(b));
  return { keyPrefix, provider, ids, stored };
}

async function read(provider: VersionedMemoryProvider, messages: ReadOptions["messages"]) {
  const result = await provider.readConversation("c", messages === undefined ? {} : { messages });
  if (!result.success) return expect.fail(result.error.message);
  const { conversation, firstPosition } = result.data;
  return { firstPosition, contents: (conversation?.messages ?? []).map(({ content }) => Number(content)) };
}

it("reads messages at known places without a script, which would block the server longer", async () => {
  const { provider } = await open();
  await provider.storeMessages("c", numbered(0, 2_500));
  const sent = vi.spyOn(redis, "sendCommand"); // Scripts are sent with it, transactions are not.
  onTestFinished(() => sent.mockRestore());
  expect((await read(provider, undefined)).contents).toHaveLength(2_500);
  expect((await read(provider, { after: 9, limit: 2 })).contents).toEqual([10, 11]);
  expect(await provider.getConversation("c")).toMatchObject({ data: { messages: { length: 2_500 } } });
  expect(await provider.getRecentMessages("c", 1)).toMatchObject({ data: [{ content: "2499" }] });
  expect(sent).not.toHaveBeenCalled();
  expect((await read(provider, { messageId: "none" })).contents).toEqual([]);
  expect(sent).toHaveBeenCalled();
});

describe("the hash of the messages' own ids", () => {
  it("contains only messages with an id", async () => {
    const { provider, ids, stored } = await open();
    await provider.storeMessages("c", numbered(0, 3));
    expect(await redis.exists(ids)).toBe(0);
    await provider.appendMessages("c", numbered(3, 3), {}, { messageIds: [null, "m4", undefined] });
    expect(await stored()).toEqual([[4, "m4"]]);
    expect(await redis.hLen(ids)).toBe(2);
  });

  it("loses only ids that a trim, a dropped end or a replacement removes", async () => {
    const { provider, ids, stored } = await open();
    const messageIds = idsOf(0, 10);
    await provider.storeMessages("c", numbered(0, 10), {}, { messageIds });
    await provider.appendMessages("c", [], {}, { maxMessages: 7 });
    expect((await stored()).map(([position]) => position)).toEqual([3, 4, 5, 6, 7, 8, 9]);
    await provider.appendMessages("c", numbered(9, 1), {}, { dropLast: 2, messageIds: ["m9"] });
    expect(await stored()).toEqual([3, 4, 5, 6, 7, 8].map((at) => [at, at === 8 ? "m9" : `m${at}`]));
    expect(await redis.hLen(ids)).toBe(12);
    await provider.storeMessages("c", numbered(20, 2), {}, { messageIds: ["m3", "n"] });
    expect(await stored()).toEqual([
      [9, "m3"],
      [10, "n"],
    ]);
    expect(await read(provider, { messageId: "m3" })).toEqual({ firstPosition: 9, contents: [20] });
    await provider.appendMessages("c", [], {}, { dropLast: 2 });
    expect(await redis.exists(ids)).toBe(0);
    await provider.appendMessages("c", numbered(9, 1), {}, { messageIds: ["n"] });
    expect(await stored()).toEqual([[9, "n"]]);
  });

  it("is right for a batch that exceeds the limit, and for thousands of ids", async () => {
    const { provider, stored } = await open();
    const many = { messageIds: idsOf(0, 9_000), maxMessages: 5_000 };
    await provider.storeMessages("c", numbered(0, 9_000), {}, many);
    const kept = await stored();
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([5_000, [4_000, "m4000"], [8_999, "m8999"]]);
    expect(await read(provider, { messageId: "m4321" })).toEqual({ firstPosition: 4_321, contents: [4_321] });
    const exported = await provider.exportConversation("c");
    const record = (exported.success && exported.data) || expect.fail("nothing exported");
    expect(record.messageIds).toEqual(idsOf(4_000, 5_000));
    await provider.deleteConversation("c");
    expect(await stored()).toEqual([]);
    expect(await provider.importConversation(record)).toMatchObject({ success: true });
    expect(await stored()).toEqual(kept);
    await provider.appendMessages("c", [], {}, { dropLast: 4_500 });
    expect((await stored()).length).toBe(500);
  });

  it("is reported as missing if the server has evicted it", async () => {
    const { provider, ids } = await open();
    await provider.storeMessages("c", numbered(0, 3), {}, { messageIds: idsOf(0, 3) });
    await redis.del(ids);
    const result = await provider.appendMessages("c", numbered(0, 1), {}, { messageIds: ["m0"] });
    expect(result.success ? "" : result.error.message).toMatch(/evicted.*noeviction/);
  });
});

describe("ranges of 10,000 messages", () => {
  it("match their positions, at any place and with any length", async () => {
    const { provider } = await open();
    await provider.storeMessages("c", numbered(0, 5_000));
    await provider.appendMessages("c", numbered(5_000, 7_000), {}, { maxMessages: 10_000 });
    const expectRange = async (messages: ReadOptions["messages"], from: number, to: number) => {
      const contents = numbered(from, to - from).map(({ content }) => Number(content));
      expect(await read(provider, messages)).toEqual({ firstPosition: from, contents });
    };
    await expectRange({ after: 6_999, limit: 20 }, 7_000, 7_020);
    await expectRange({ before: 7_000, limit: 20 }, 6_980, 7_000);
    await expectRange({ after: 2_500, before: 11_500 }, 2_501, 11_500);
    await expectRange({ before: 6_001 }, 2_000, 6_001);
    await expectRange({ after: -1, limit: 2_001 }, 2_000, 4_001);
    await expectRange({ limit: 4_001 }, 7_999, 12_000);
    await expectRange({ after: 11_998 }, 11_999, 12_000);
    expect(await read(provider, { before: 2_000 })).toEqual({ firstPosition: 12_000, contents: [] });
    expect(await read(provider, { after: 12_000 })).toEqual({ firstPosition: 12_000, contents: [] });
  });

  it("are read consistently while the end is replaced repeatedly", async () => {
    const { provider } = await open();
    const marked = (mark: number): Message => ({ role: "user", content: `${mark}` });
    await provider.storeMessages(
      "c",
      Array.from({ length: 10_000 }, () => marked(0)),
    );
    let reading = true;
    const writer = (async () => {
      for (let mark = 1; reading; mark++) {
        const end = Array.from({ length: 5_000 }, () => marked(mark));
        await provider.appendMessages("c", end, {}, { dropLast: 5_000 });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    for (let round = 0; round < 20; round++) {
      const result = await provider.readConversation("c", { messages: { after: 4_999 } });
      if (!result.success) expect(result.error).toMatchObject({ retryable: true });
      else expect(new Set(result.data.conversation?.messages.map(({ content }) => content)).size).toBe(1);
    }
    reading = false;
    await writer;
  });

  it("take one round trip, and report an evicted list", async () => {
    const { provider, keyPrefix } = await open();
    await provider.storeMessages("c", numbered(0, 100));
    await redis.del(`${keyPrefix}messages:{${keyPrefix}c}`);
    for (const messages of [{ after: 10 }, "all", { limit: 3 }] as const) {
      const result = await provider.readConversation("c", { messages });
      expect(result.success ? "" : result.error.message).toMatch(/evicted.*noeviction/);
    }
    expect(await provider.readConversation("c", { messages: "none" })).toMatchObject({ success: true });
  });
});

describe("the provider's ttl", () => {
  it("of an import counts from now, and the record's own ttl from its last activity", async () => {
    const { provider, keyPrefix } = await open({ ttl: 1_000 });
    await provider.storeMessages("c", numbered(0, 1), { userId: "u" });
    const exported = await provider.exportConversation("c");
    const record = (exported.success && exported.data) || expect.fail("nothing exported");
    expect(record.ttlSeconds).toBeUndefined();
    const lastActivity = new Date(Date.now() - 3_600_000);
    const past = { ...record, createdAt: lastActivity, lastActivity };
    expect(await provider.importConversation({ ...past, conversationId: "kept" })).toMatchObject({
      success: true,
    });
    expect(await redis.ttl(`${keyPrefix}kept`)).toBeGreaterThan(900);
    await provider.importConversation({ ...past, conversationId: "short", ttlSeconds: 3_700 });
    expect(await redis.ttl(`${keyPrefix}short`)).toBeLessThanOrEqual(100);
    expect(await redis.zScore(`${keyPrefix}user:u:conversations`, "short")).toBe(lastActivity.getTime());
    await provider.importConversation({ ...past, conversationId: "over", ttlSeconds: 100 });
    expect(await provider.getConversation("over")).toEqual({ success: true, data: null });
  });
});

describe("idempotency keys of a client that may resend a command", () => {
  it("are bounded separately from the callers' keys, and have receipts", async () => {
    const client = new Redis(inject("redisUrl"));
    const keyPrefix = freshPrefix();
    const provider = await createRedisProvider({ keyPrefix }, client);
    await provider.storeMessages("c", []);
    for (let write = 0; write < 1_800; write += 2) {
      const written = await Promise.all([
        provider.appendMessages(
          "c",
          numbered(write, 1),
          {},
          { idempotencyKey: `k${write}`, maxMessages: 10 },
        ),
        provider.appendMessages("c", numbered(write, 1), {}, { maxMessages: 10 }),
      ]);
      expect(written.every(({ success }) => success)).toBe(true);
    }
    const last = await provider.readConversation("c", { messages: "none", receiptFor: "k1798" });
    expect(last).toMatchObject({ data: { receipt: { nextPosition: 1_799 } } });
    const first = await provider.readConversation("c", { messages: "none", receiptFor: "k0" });
    expect(first).toMatchObject({ data: { conversation: { metadata: { totalMessages: 10 } } } });
    expect(first.success && first.data.receipt).toBeUndefined();
    expect(await redis.hLen(`${keyPrefix}keys:{${keyPrefix}c}`)).toBeLessThanOrEqual(1_500);
    client.disconnect();
  });
});

describe("createRedisBackend", () => {
  it("can be wrapped in a few lines, and returns bodies as they were written", async () => {
    const reversed = (text: string): string => Buffer.from(text).reverse().toString("base64");
    const restored = (text: string): string => Buffer.from(text, "base64").reverse().toString();
    const wrap = (backend: MemoryBackend): MemoryBackend => ({
      ...backend,
      write: (write) =>
        backend.write({
          ...write,
          messages: write.messages.map((each) => ({ ...each, body: reversed(each.body) })),
        }),
      read: async (request) => {
        const outcome = await backend.read(request);
        if (outcome.conversation === null) return outcome;
        const messages = outcome.conversation.messages.map((body) => restored(String(body)));
        return { ...outcome, conversation: { ...outcome.conversation, messages } };
      },
    });
    const keyPrefix = freshPrefix();
    const provider = defineMemoryProvider(wrap(await createRedisBackend({ keyPrefix }, redis)));
    const said: readonly Message[] = [{ role: "tool", content: "Grüße \0 \ud800", tool_call_id: "t" }];
    await provider.storeMessages("c", said);
    expect(await provider.getConversation("c")).toMatchObject({ data: { messages: said } });
    const [body = ""] = await redis.lRange(`${keyPrefix}messages:{${keyPrefix}c}`, 0, -1);
    expect(body).not.toContain("content");
  });

  it("throws the same errors as the provider", async () => {
    await expect(createRedisBackend({ keyPrefix: "{" }, redis)).rejects.toThrow(TypeError);
    await expect(createRedisBackend({}, createClient())).rejects.toThrow(/not connected/);
  });
});
