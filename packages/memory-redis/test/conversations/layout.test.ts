import { inspect } from "node:util";
import { MemorySetupError, type Message } from "@jaf/memory";
import { TOMBSTONE_SECONDS, tombstoneKey } from "@jaf/memory/adapter";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createRedisProvider, type RedisConfig } from "../../src/index.ts";
import { creating } from "../support/creating.ts";
import { freshPrefix } from "../support/stores.ts";

const client = createClient();
const hello: readonly Message[] = [{ role: "user", content: "Hello" }];

let redis: ReturnType<typeof createClient>;

beforeAll(async () => {
  redis = createClient({ url: inject("redisUrl") });
  await redis.connect();
});

afterAll(() => redis.close());

async function open(config: RedisConfig = {}) {
  const keyPrefix = config.keyPrefix ?? freshPrefix();
  const keys = async () =>
    (await redis.keys(`${keyPrefix}*`)).map((key) => key.slice(keyPrefix.length)).sort();
  const provider = creating(await createRedisProvider({ ...config, keyPrefix }, redis));
  return { keyPrefix, keys, provider };
}

describe("the keys", () => {
  it("match the documentation", async () => {
    const { provider, keys, keyPrefix } = await open();
    await provider.appendMessages(
      "conv-123",
      hello,
      { userId: "user-456", traceId: "trace-789" },
      { idempotencyKey: "k", messageIds: ["m"] },
    );
    expect(await keys()).toEqual([
      "conv-123",
      `ids:{${keyPrefix}conv-123}`,
      `keys:{${keyPrefix}conv-123}`,
      `messages:{${keyPrefix}conv-123}`,
      expect.stringMatching(/^recent:\d+$/),
      "trace:trace-789:conversations",
      `traces:{${keyPrefix}conv-123}`,
      "user:user-456:conversations",
    ]);
    expect(await redis.lRange(`${keyPrefix}messages:{${keyPrefix}conv-123}`, 0, -1)).toEqual([
      expect.stringMatching(/^\{"role":"user","content":"Hello"\}[0-9a-f]{40}$/),
    ]);
  });

  it.each([
    "user:u:conversations",
    "trace:t:conversations",
    "recent:0",
    "messages:{x}",
    "%7B",
    "{",
    "}{",
    "user%3A",
  ])("of the conversation %s are unique to it", async (id) => {
    const { provider } = await open();
    const other = id.replaceAll(/[{}]/g, (brace) => (brace === "{" ? "%7B" : "%7D")).replace(":", "%3A");
    await provider.appendMessages("c", hello, { userId: "u", traceId: "t" });
    await provider.appendMessages(id, hello, { userId: "v" });
    if (other !== id) expect(await provider.getConversation(other)).toMatchObject({ data: null });
    expect(await provider.findConversations({ userId: "u" })).toMatchObject({
      data: [{ conversationId: "c" }],
    });
    expect(await provider.deleteConversation(id)).toMatchObject({ data: true });
    expect(await provider.findConversations({})).toMatchObject({ data: [{ conversationId: "c" }] });
  });

  it("are all removed with the last conversation, except for tombstones without names", async () => {
    const { provider, keys, keyPrefix } = await open();
    const options = { idempotencyKey: "k", messageIds: ["m"] };
    for (const id of ["a", "b"])
      await provider.appendMessages(id, hello, { userId: "u", traceId: "t" }, options);
    await provider.deleteConversation("a");
    await provider.clearUserConversations("u");
    const hashes = [
      tombstoneKey("conversation", "a"),
      tombstoneKey("conversation", "b"),
      tombstoneKey("user", "u"),
    ];
    const left = await keys();
    expect(left.map((key) => key.replace(/^gone:\{\w{1,4}\}:/, "")).sort()).toEqual(hashes.sort());
    for (const key of left) {
      const expiresIn = await redis.ttl(keyPrefix + key);
      expect(expiresIn).toBeGreaterThan(TOMBSTONE_SECONDS - 60);
      expect(expiresIn).toBeLessThanOrEqual(TOMBSTONE_SECONDS);
    }
  });

  it.each(["{", "a{}b:", "{a}{b}:", "a}b", "}{", "\0", "\ud800", "x".repeat(201)])(
    "can't begin with %j: an error names the field, and nothing is sent",
    async (keyPrefix) => {
      const created = createRedisProvider({ keyPrefix }, client);
      await expect(created).rejects.toThrow(TypeError);
      await expect(created).rejects.toThrow(/keyPrefix/);
    },
  );

  it.each(["", "*", "[a-z]?", "a b\n", "{tenant}:", "prod:{tenant}:", "\u{1f680}"])(
    "may begin with %j",
    async (keyPrefix) => {
      const unique = `${keyPrefix}${crypto.randomUUID()}`;
      const { provider } = await open({ keyPrefix: unique });
      await provider.appendMessages("c", hello, { userId: "u" });
      expect(await provider.getConversation("c")).toMatchObject({ data: { messages: hello } });
      expect(await provider.clearUserConversations("u")).toMatchObject({ data: 1 });
    },
  );
});

describe("ttl", () => {
  // Not PEXPIRETIME, which Redis has since 7.0.
  const remaining = async (keyPrefix: string) => {
    const all = await redis.keys(`${keyPrefix}*{*`);
    return Promise.all([`${keyPrefix}c`, ...all].map((key) => redis.pTTL(key)));
  };

  it("is the same for all keys of a conversation", async () => {
    const { provider, keyPrefix } = await open({ ttl: 100 });
    const options = { idempotencyKey: "k", messageIds: ["m"] };
    await provider.appendMessages("c", hello, { userId: "u", traceId: "t" }, options);
    const times = await remaining(keyPrefix);
    expect(times).toHaveLength(5);
    for (const left of times) {
      expect(left).toBeGreaterThan(90_000);
      expect(left).toBeLessThanOrEqual(100_000);
    }
  });

  it.each(["getConversation", "getRecentMessages"] as const)("restarts with %s", async (method) => {
    const { provider, keyPrefix } = await open({ ttl: 100 });
    await provider.appendMessages("c", hello, { userId: "u", traceId: "t" }, { messageIds: ["m"] });
    const keys = await redis.keys(`${keyPrefix}*`);
    for (const key of keys) await redis.pExpire(key, 5_000);
    await redis.hSet(`${keyPrefix}c`, "indexedAt", 0);
    await provider[method]("c");
    for (const left of await remaining(keyPrefix)) expect(left).toBeGreaterThan(90_000);
    for (const index of ["user:u", "trace:t"]) {
      expect(await redis.pTTL(`${keyPrefix}${index}:conversations`)).toBeGreaterThan(190_000);
    }
  });

  it("of an index outlives that of its conversations, and ends with a conversation without a ttl", async () => {
    const { provider, keyPrefix } = await open();
    const left = () => redis.ttl(`${keyPrefix}user:u:conversations`);
    await provider.appendMessages("short", hello, { userId: "u" }, { ttlSeconds: 10 });
    expect(await left()).toBeGreaterThan(15);
    await provider.appendMessages("long", hello, { userId: "u" }, { ttlSeconds: 1_000 });
    expect(await left()).toBeGreaterThan(1_900);
    await provider.appendMessages("short", hello);
    expect(await left()).toBeGreaterThan(1_900);
    await provider.appendMessages("kept", hello, { userId: "u" });
    expect(await left()).toBe(-1);
    await provider.appendMessages("another", hello, { userId: "u" }, { ttlSeconds: 10 });
    expect(await left()).toBe(-1);
  });
});

describe("the ttl of a write", () => {
  it("counts from the last write, regardless of reads", async () => {
    const { provider, keyPrefix } = await open({ ttl: 100 });
    await provider.appendMessages("c", hello, { userId: "u" }, { ttlSeconds: 1_000 });
    await redis.pExpire(`${keyPrefix}c`, 5_000);
    await provider.getConversation("c");
    await provider.findConversations({ userId: "u" });
    expect(await redis.pTTL(`${keyPrefix}c`)).toBeLessThanOrEqual(5_000);
  });
});

describe("idempotency keys", () => {
  it("are bounded, even if only some writes have one", async () => {
    const { provider, keyPrefix } = await open();
    for (let write = 0; write < 4_000; write += 2) {
      await Promise.all([
        provider.appendMessages("c", hello, {}, { idempotencyKey: `k${write}`, maxMessages: 10 }),
        provider.appendMessages("c", hello, {}, { maxMessages: 10 }),
      ]);
    }
    expect(await redis.hLen(`${keyPrefix}keys:{${keyPrefix}c}`)).toBeLessThanOrEqual(1_500);
  });
});

describe("keys changed by other applications", () => {
  it("are reported if a key of another type has the name", async () => {
    const { provider, keyPrefix } = await open();
    await redis.set(`${keyPrefix}c`, "{}");
    for (const result of [
      await provider.appendMessages("c", hello),
      await provider.getConversation("c"),
      await provider.deleteConversation("c"),
    ]) {
      expect(result).toMatchObject({ error: { _tag: "MemoryStorageError", retryable: false } });
      expect(result.success ? "" : result.error.message).toMatch(/another application.*keyPrefix/);
    }
    expect(await redis.get(`${keyPrefix}c`)).toBe("{}");
  });

  it("are reported if the server has evicted the messages", async () => {
    const { provider, keyPrefix } = await open();
    await provider.appendMessages("c", hello);
    await redis.del(`${keyPrefix}messages:{${keyPrefix}c}`);
    for (const result of [await provider.appendMessages("c", hello), await provider.getConversation("c")]) {
      expect(result.success ? "" : result.error.message).toMatch(/evicted.*noeviction/);
    }
    expect(await provider.deleteConversation("c")).toMatchObject({ data: true });
  });

  it("hide no conversation: nothing is written if an index can't be written", async () => {
    const { provider, keyPrefix } = await open();
    await redis.set(`${keyPrefix}user:u:conversations`, "not an index");
    const result = await provider.appendMessages("c", hello, { userId: "u" });
    expect(result).toMatchObject({ error: { _tag: "MemoryStorageError" } });
    expect(await provider.getConversation("c")).toMatchObject({ data: null });
    expect(await provider.findConversations({})).toMatchObject({ data: [] });
  });
});

describe("a listing", () => {
  it("shows nothing of another user who gets the id before the messages are read", async () => {
    const { provider, keyPrefix } = await open();
    await provider.appendMessages("shared", hello, { userId: "u" });
    const taking = {
      isOpen: true,
      multi: () => redis.multi(),
      sendCommand: async (args: string[]) => {
        const reply = await redis.sendCommand(args);
        if (args.includes(`${keyPrefix}shared`)) {
          await provider.deleteConversation("shared");
          await provider.appendMessages("shared", [{ role: "user", content: "not for u" }], { userId: "v" });
        }
        return reply;
      },
    };
    const slow = creating(await createRedisProvider({ keyPrefix }, taking));
    expect(await slow.findConversations({ userId: "u" })).toEqual({ success: true, data: [] });
  });

  it.each([undefined, 350])(
    "with limit %s returns every conversation that existed throughout, despite concurrent writes",
    async (limit) => {
      const { provider } = await open();
      const ids = Array.from({ length: 300 }, (_, n) => `c${n}`);
      await Promise.all(ids.map((id) => provider.appendMessages(id, hello, { userId: "u" })));
      let writing = true;
      const writer = (async () => {
        for (let count = 0; writing; count++) await provider.appendMessages(`c${(count * 7) % 300}`, hello);
      })();
      const query = { userId: "u", includeMessages: false, ...(limit === undefined ? {} : { limit }) };
      for (let round = 0; round < 10; round++) {
        const found = await provider.findConversations(query);
        const listed = found.success ? found.data.map(({ conversationId }) => conversationId) : [];
        expect(new Set(listed).size).toBe(300);
        expect(listed).toHaveLength(300);
      }
      writing = false;
      await writer;
    },
  );
});

describe("a long conversation", () => {
  const numbered = (from: number, count: number): readonly Message[] =>
    Array.from({ length: count }, (_, index) => ({ role: "user", content: `${from + index}` }));

  it("is read in parts, in order, as a whole or only its end", async () => {
    const { provider } = await open();
    await provider.storeMessages("c", numbered(0, 4_500));
    for (const count of [4_500, 4_499, 2_001, 2_000, 1_999, 1, 9_999]) {
      const recent = await provider.getRecentMessages("c", count);
      const kept = Math.min(count, 4_500);
      expect(recent).toEqual({ success: true, data: numbered(4_500 - kept, kept) });
    }
    expect(await provider.getConversation("c")).toMatchObject({ data: { messages: numbered(0, 4_500) } });
  });

  it("is read consistently while it is written and trimmed", async () => {
    const { provider } = await open();
    await provider.storeMessages("c", numbered(0, 5_000));
    let written = 5_000;
    let reading = true;
    const writing = async () => {
      while (reading) {
        await provider.appendMessages(
          "c",
          numbered(written, 2),
          {},
          written % 40 === 0 ? { maxMessages: 5_000 } : {},
        );
        written += 2;
      }
    };
    const writer = writing();
    for (let round = 0; round < 20; round++) {
      const read = await provider.getConversation("c");
      if (!read.success) expect(read.error).toMatchObject({ retryable: true });
      const contents = read.success ? (read.data?.messages ?? []).map(({ content }) => Number(content)) : [];
      expect(contents).toEqual(contents.map((_, index) => (contents[0] ?? 0) + index));
    }
    reading = false;
    await writer;
  });
});

it("refuses an unusable client and gives the reason", async () => {
  await expect(createRedisProvider({}, createClient())).rejects.toThrow(MemorySetupError);
  await expect(createRedisProvider({}, createClient())).rejects.toThrow(/not connected.*connect\(\)/);
  for (const none of [{}, null, 5, "redis://localhost"]) {
    await expect(createRedisProvider({}, none as never)).rejects.toThrow(TypeError);
  }
});

it.each([
  "redis://:the-password@host:99999",
  "redis://:the-password%zz@host",
  "redis://:the-password@host/x",
])("refuses a bad URL without repeating it (%#)", async (url) => {
  const thrown = await createRedisProvider({ url }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(TypeError);
  expect(inspect(thrown, { depth: 5 })).not.toContain("the-password");
});
