import type { Message, VersionedMemoryProvider } from "@jaf/memory";
import { createClient, createCluster } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createRedisProvider, type NodeRedisClient, type NodeRedisCluster } from "../../src/index.ts";
import { createKeys } from "../../src/keys.ts";
import { creating } from "../support/creating.ts";
import { crashAt, intercept } from "../support/intercept.ts";
import { allSchedules, interleave } from "../support/interleaving.ts";
import { freshPrefix } from "../support/stores.ts";

type Client = NodeRedisClient | NodeRedisCluster;

const hello: readonly Message[] = [{ role: "user", content: "Hello" }];
const owned = { userId: "u", traceId: "t" };

const server = createClient({ url: inject("redisUrl") });
const cluster = createCluster({ rootNodes: inject("redisClusterUrls").map((url) => ({ url })) });

beforeAll(async () => {
  await Promise.all([server.connect(), cluster.connect()]);
});
afterAll(async () => {
  await Promise.all([server.close(), cluster.close()]);
});

const open = async (client: Client, keyPrefix: string) =>
  creating(await createRedisProvider({ keyPrefix }, client));

async function exists(provider: VersionedMemoryProvider, id: string): Promise<boolean> {
  const read = await provider.getConversation(id);
  return read.success ? read.data !== null : expect.fail(read.error.message);
}

async function found(provider: VersionedMemoryProvider, query: object): Promise<readonly string[]> {
  const result = await provider.findConversations(query);
  return result.success
    ? result.data.map(({ conversationId }) => conversationId)
    : expect.fail(result.error.message);
}

async function parentOf(provider: VersionedMemoryProvider, conversationId: string) {
  const read = await provider.readConversation(conversationId, { messages: "none" });
  const { incarnation } = read.success ? read.data : expect.fail(read.error.message);
  return { conversationId, incarnation };
}

async function store(provider: VersionedMemoryProvider, id: string, under?: string, options: object = {}) {
  const childOf = under === undefined ? {} : { childOf: await parentOf(provider, under) };
  const stored = await provider.appendMessages(id, hello, owned, { ...options, ...childOf });
  if (!stored.success) expect.fail(stored.error.message);
}

const FAMILY = { p: undefined, c1: "p", c2: "p", g: "c1" } as const;

async function storeFamily(provider: VersionedMemoryProvider): Promise<void> {
  for (const [id, under] of Object.entries(FAMILY)) await store(provider, id, under);
}

/** Expects that each conversation of the family has its parent, and is listed by it. */
async function expectWhole(
  provider: VersionedMemoryProvider,
  family: Readonly<Record<string, string | undefined>>,
) {
  for (const [id, parent] of Object.entries(family)) {
    if (parent === undefined || !(await exists(provider, id))) continue;
    expect(await exists(provider, parent), `${parent} of ${id}`).toBe(true);
    expect(await found(provider, { childrenOf: parent }), `children of ${parent}`).toContain(id);
  }
}

async function expectGone(provider: VersionedMemoryProvider, ids: readonly string[], how: string) {
  for (const id of ids) {
    expect(await exists(provider, id), `${id}, ${how}`).toBe(false);
    expect(await found(provider, { childrenOf: id }), `children of ${id}, ${how}`).toEqual([]);
  }
  expect(await found(provider, {}), how).toEqual([]);
}

type Call = (provider: VersionedMemoryProvider) => Promise<{ readonly success: boolean }>;

const erasures: Readonly<Record<string, Call>> = {
  deleteConversation: (provider) => provider.deleteConversation("p"),
  clearUserConversations: (provider) => provider.clearUserConversations("u"),
};

describe.each([
  ["a server", server],
  ["a Cluster", cluster],
] as const)("children on %s", (where, client) => {
  async function start() {
    const keyPrefix = freshPrefix();
    const provider = await open(client, keyPrefix);
    return {
      keyPrefix,
      keys: createKeys(keyPrefix),
      provider,
      at: (with_: Client) => open(with_, keyPrefix),
    };
  }

  it("have an index at their parent, and low scores in the index of their user", async () => {
    const { keys, provider } = await start();
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
    const { keys, provider } = await start();
    await storeFamily(provider);
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
    const { keys, provider } = await start();
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
    const { keys, provider } = await start();
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
    const { keys, provider } = await start();
    await storeFamily(provider);
    await client.unlink(keys.of("p").conversation);
    await store(provider, "p", "g");
    expect(await provider.deleteConversation("c1")).toEqual({ success: true, data: true });
    await expectGone(provider, Object.keys(FAMILY), "circle");
  });

  it("are whole if their creation is cut off at any step", async () => {
    let success = false;
    for (let commands = 0; !success; commands++) {
      const { provider, at } = await start();
      await store(provider, "p");
      const childOf = await parentOf(provider, "p");
      const create: Call = (by) => by.appendMessages("c", hello, owned, { childOf });
      success = (await create(await at(crashAt(client, commands)))).success;
      await expectWhole(provider, { c: "p" });
      if (commands % 2 === 0) {
        expect((await create(provider)).success, "again").toBe(true);
        expect(await found(provider, { childrenOf: "p" })).toEqual(["c"]);
      }
      await provider.deleteConversation("p");
      expect((await create(provider)).success, "late").toBe(false);
      await expectGone(provider, ["p", "c"], `after ${commands}`);
      expect(commands).toBeLessThan(30);
    }
  });

  it.each(Object.entries(erasures))("have their parents if %s is cut off at any step", async (_, erase) => {
    let success = false;
    for (let commands = 0; !success; commands++) {
      const { provider, at } = await start();
      await storeFamily(provider);
      success = (await erase(await at(crashAt(client, commands)))).success;
      await expectWhole(provider, FAMILY);
      expect((await erase(provider)).success, "again").toBe(true);
      await expectGone(provider, Object.keys(FAMILY), `after ${commands}`);
      expect(commands).toBeLessThan(60);
    }
  });

  // A creation has up to seven commands on a Cluster, and the erasures have more if they meet it.
  const schedules = where === "a server" ? allSchedules(1, 5) : allSchedules(6, 4);

  it.each(Object.entries(erasures))(
    "are created or refused, and none is left, in every order with the steps of %s",
    async (_, erase) => {
      const lasts: boolean[] = [];
      for (const [round, schedule] of schedules.entries()) {
        const { provider, at } = await start();
        await store(provider, "p");
        if (round % 2 === 0) await store(provider, "c0", "p");
        const childOf = await parentOf(provider, "p");
        const [created, erased] = await interleave(
          client,
          [
            async (by) => (await at(by)).appendMessages("c", hello, owned, { childOf }),
            async (by) => erase(await at(by)),
          ],
          schedule,
        );
        const how = schedule.map((isFirst) => (isFirst ? "c" : "e")).join("");
        if (!created.success) expect(created.error, how).toMatchObject({ reason: "incarnation" });
        expect(erased.success, how).toBe(true);
        lasts.push(created.success);
        await expectGone(provider, ["p", "c", "c0"], how);
      }
      expect(new Set(lasts)).toEqual(new Set([true, false]));
    },
    120_000,
  );

  it("leave no index behind if a write to one of them is still under way when their parent is deleted", async () => {
    for (const schedule of allSchedules(3, 5)) {
      const { keys, provider, at } = await start();
      await store(provider, "p");
      await store(provider, "c", "p");
      const append: Call = (by) => by.appendMessages("c", hello, {}, { createIfMissing: false });
      await interleave(
        client,
        [async (by) => append(await at(by)), async (by) => erasures["deleteConversation"]?.(await at(by))],
        schedule,
      );
      await expectGone(provider, ["p", "c"], "");
      expect(await client.exists(keys.of("p").children)).toBe(0);
    }
  });
});

describe("the creation of a child on a Cluster", () => {
  /** Lets another writer create the conversation before the command `step` of a creation, which dies at `last`. */
  async function createBetween(step: number, last: number) {
    const keyPrefix = freshPrefix();
    const provider = await open(cluster, keyPrefix);
    await store(provider, "p");
    const childOf = await parentOf(provider, "p");
    let count = 0;
    const between = intercept(cluster, async ({ send }) => {
      if (count >= last) throw new Error("Connection is closed.");
      if (count++ === step) await provider.appendMessages("c", hello, { userId: "u", traceId: "of c" });
      return send();
    });
    const slow = await open(between, keyPrefix);
    await slow.appendMessages("c", hello, { userId: "u", traceId: "t2" }, { childOf });
    return { provider, keys: createKeys(keyPrefix), steps: count };
  }

  it("leaves a conversation alone that another writer creates under its id, at any step", async () => {
    let steps = Number.POSITIVE_INFINITY;
    for (let step = 0; step < steps; step++) {
      const { provider, steps: all } = await createBetween(step, Number.POSITIVE_INFINITY);
      steps = all;
      const read = await provider.getConversation("c");
      const isChild = read.success && read.data?.metadata?.childOf === "p";
      const expected = isChild ? [] : ["c"];
      for (const query of [{ userId: "u" }, { traceId: "of c" }, { traceId: "t2" }, {}]) {
        const others = (await found(provider, query)).filter((id) => id !== "p");
        expect(others, `step ${step}, ${JSON.stringify(query)}`).toEqual(expected);
      }
      expect(await found(provider, { childrenOf: "p" })).toEqual(isChild ? ["c"] : []);
      await provider.deleteConversation("p");
      expect(await exists(provider, "c"), `step ${step}`).toBe(!isChild);
      expect(await found(provider, { userId: "u" }), `step ${step}`).toEqual(expected);
      for (let last = step + 1; last < all; last++) {
        const cut = await createBetween(step, last);
        for (const traceId of await cluster.sMembers(cut.keys.of("c").traces)) {
          const how = `step ${step}, cut off at ${last}: ${traceId}`;
          expect(await found(cut.provider, { traceId }), how).toEqual(isChild ? [] : ["c"]);
        }
      }
    }
    expect(steps).toBeGreaterThan(4);
  });

  it("that comes long after its registration registers the child again", async () => {
    const keyPrefix = freshPrefix();
    const provider = await open(cluster, keyPrefix);
    await store(provider, "p");
    const childOf = await parentOf(provider, "p");
    let late = 0;
    const delayed = intercept(cluster, async ({ args, send }) => {
      const at = args.findIndex((arg) => arg.includes('"indexing":"reserved"'));
      if (at !== -1 && late++ === 0) {
        const given = JSON.parse(args[at] ?? "");
        (args as string[])[at] = JSON.stringify({ ...given, reservedAt: given.reservedAt - 61_000 });
      }
      return send();
    });
    const slow = await open(delayed, keyPrefix);
    expect((await slow.appendMessages("c", hello, owned, { childOf })).success).toBe(true);
    expect(late).toBe(2);
    expect(await found(provider, { childrenOf: "p" })).toEqual(["c"]);
  });
});
