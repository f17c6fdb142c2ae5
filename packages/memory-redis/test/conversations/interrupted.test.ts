import type { MemoryProvider, Message } from "@jaf/memory";
import { createCluster } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createRedisProvider, type NodeRedisCluster, type RedisConfig } from "../../src/index.ts";
import { creating } from "../support/creating.ts";
import { freshPrefix } from "../support/stores.ts";

const hello: readonly Message[] = [{ role: "user", content: "Hello" }];

const createClient = () => createCluster({ rootNodes: inject("redisClusterUrls").map((url) => ({ url })) });

let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  client = createClient();
  await client.connect();
});
afterAll(() => client.close());

type BeforeCommand = (args: readonly string[], count: number) => Promise<void> | void;

/** The same connection with a hook before each single command. */
function intercept(before: BeforeCommand): NodeRedisCluster {
  let count = 0;
  return {
    isOpen: true,
    slots: [],
    multi: (key) => client.multi(key),
    sendCommand: async (key, isReadonly, args) => {
      await before(args, count++);
      return client.sendCommand(key, isReadonly, args);
    },
  };
}

const crashAt = (last: number) =>
  intercept((_, count) => {
    if (count >= last) throw new Error("Connection is closed.");
  });

interface Write {
  readonly before?: (provider: MemoryProvider) => Promise<unknown>;
  readonly write: (provider: MemoryProvider) => Promise<{ readonly success: boolean }>;
  readonly config?: RedisConfig;
}

const writes: Readonly<Record<string, Write>> = {
  "that creates a conversation": {
    write: (provider) => provider.appendMessages("c", hello, { userId: "u", traceId: "t1" }),
  },
  "that creates one with a ttl": {
    write: (provider) =>
      provider.appendMessages("c", hello, { userId: "u", traceId: "t1" }, { ttlSeconds: 100 }),
  },
  "with a new trace": {
    before: (provider) => provider.appendMessages("c", hello, { userId: "u", traceId: "t1" }),
    write: (provider) => provider.appendMessages("c", hello, { traceId: "t2" }),
  },
  "that gives it an owner": {
    before: (provider) => provider.appendMessages("c", hello, { traceId: "t1" }),
    write: (provider) => provider.appendMessages("c", hello, { userId: "u" }),
  },
  "that raises the ttl": {
    before: (provider) =>
      provider.appendMessages("c", hello, { userId: "u", traceId: "t1" }, { ttlSeconds: 1 }),
    write: (provider) => provider.appendMessages("c", hello, {}, { ttlSeconds: 1_000 }),
  },
  "beside a conversation that expires": {
    before: (provider) =>
      provider.appendMessages("other", hello, { userId: "u", traceId: "t1" }, { ttlSeconds: 1 }),
    write: (provider) => provider.appendMessages("c", hello, { userId: "u", traceId: "t1" }),
  },
  "that replaces everything": {
    before: (provider) => provider.appendMessages("c", hello, { userId: "u", traceId: "t1" }),
    write: (provider) => provider.storeMessages("c", hello, { traceId: "t2" }),
  },
  "that deletes it": {
    before: (provider) => provider.appendMessages("c", hello, { userId: "u", traceId: "t1" }),
    write: (provider) => provider.deleteConversation("c"),
  },
  "that clears the user": {
    before: (provider) => provider.appendMessages("c", hello, { userId: "u", traceId: "t1" }),
    write: (provider) => provider.clearUserConversations("u"),
  },
};

async function found(provider: MemoryProvider, query: Parameters<MemoryProvider["findConversations"]>[0]) {
  const result = await provider.findConversations(query);
  return result.success
    ? result.data.map(({ conversationId }) => conversationId)
    : expect.fail(result.error.message);
}

/** Every index with an entry of the conversation must outlive it. */
async function expectFindable(provider: MemoryProvider, keyPrefix: string): Promise<boolean> {
  const read = await provider.getConversation("c");
  if (!read.success) return expect.fail(read.error.message);
  if (read.data === null) return false;
  const traceIds = await client.sMembers(`${keyPrefix}traces:{${keyPrefix}c}`);
  const { userId } = read.data;
  const queries = [
    {},
    ...(userId === undefined ? [] : [{ userId }]),
    ...traceIds.map((traceId) => ({ traceId })),
  ];
  for (const query of queries) expect(await found(provider, query), JSON.stringify(query)).toContain("c");
  const indexes = [
    ...(userId === undefined ? [] : [`user:${userId}`]),
    ...traceIds.map((traceId) => `trace:${traceId}`),
  ];
  const left = await client.pTTL(`${keyPrefix}c`);
  for (const index of indexes) {
    const kept = await client.pTTL(`${keyPrefix}${index}:conversations`);
    if (kept !== -1) expect(kept, index).toBeGreaterThan(left === -1 ? Number.POSITIVE_INFINITY : left);
  }
  return true;
}

describe("a write on a Cluster", () => {
  it.each(Object.entries(writes))(
    "%s, interrupted at any step, leaves everything findable",
    async (_, scenario) => {
      const { before, write } = scenario;
      for (let commands = 0; ; commands++) {
        const keyPrefix = freshPrefix();
        const intact = creating(await createRedisProvider({ keyPrefix }, client));
        await before?.(intact);
        const crashing = creating(await createRedisProvider({ keyPrefix }, crashAt(commands)));
        const { success } = await write(crashing);
        await expectFindable(intact, keyPrefix);
        if (success) break;
        expect(commands).toBeLessThan(30);
        expect((await write(intact)).success, "the same again").toBe(true);
        await expectFindable(intact, keyPrefix);
      }
    },
  );

  it("can still be found if the conversation is deleted after the indexes were prepared", async () => {
    const keyPrefix = freshPrefix();
    const intact = creating(await createRedisProvider({ keyPrefix }, client));
    await intact.appendMessages("c", hello, { userId: "u", traceId: "t1" });
    let deleted = false;
    const between = intercept(async (args) => {
      if (deleted || !args.some((arg) => arg.includes('"indexing":"reserved"'))) return;
      deleted = true;
      await new Promise((resolve) => setTimeout(resolve, 5));
      await intact.deleteConversation("c");
    });
    const provider = creating(await createRedisProvider({ keyPrefix }, between));
    expect((await provider.appendMessages("c", hello, { userId: "u", traceId: "t2" })).success).toBe(true);
    expect(deleted).toBe(true);
    expect(await expectFindable(intact, keyPrefix)).toBe(true);
    expect(await intact.clearUserConversations("u")).toMatchObject({ data: 1 });
  });

  it("prepares again if it comes long after its preparation", async () => {
    const keyPrefix = freshPrefix();
    const intact = creating(await createRedisProvider({ keyPrefix }, client));
    let late = 0;
    const delayed = intercept((args) => {
      const at = args.findIndex((arg) => arg.includes('"indexing":"reserved"'));
      if (at === -1 || late++ > 0) return;
      const given = JSON.parse(args[at] ?? "");
      (args as string[])[at] = JSON.stringify({ ...given, reservedAt: given.reservedAt - 61_000 });
    });
    const provider = creating(await createRedisProvider({ keyPrefix }, delayed));
    expect((await provider.appendMessages("c", hello, { userId: "u" })).success).toBe(true);
    expect(late).toBe(2);
    expect(await expectFindable(intact, keyPrefix)).toBe(true);
  });
});

describe("a listing on a Cluster", () => {
  it("remains one page while conversations are being created", async () => {
    const keyPrefix = freshPrefix();
    const provider = creating(await createRedisProvider({ keyPrefix }, client));
    const ids = Array.from({ length: 300 }, (_, n) => `old-${n}`);
    await Promise.all(ids.map((id) => provider.appendMessages(id, hello)));
    let commands = 0;
    const counter = intercept(() => void commands++);
    const counting = await createRedisProvider({ keyPrefix }, counter);
    let writing = true;
    let written = 0;
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) await provider.appendMessages(`new-${written++}`, hello);
    });
    for (let round = 0; round < 10; round++)
      await counting.findConversations({ limit: 10, includeMessages: false });
    writing = false;
    await Promise.all(writers);
    expect(commands / 10).toBeLessThan(100);
  });
});
