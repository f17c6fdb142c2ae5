import type { VersionedMemoryProvider } from "@jaf/memory";
import { createClient, createCluster } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  exists,
  expectGone,
  expectWhole,
  FAMILY,
  found,
  hello,
  owned,
  parentOf,
  start,
  store,
  storeFamily,
} from "../support/families.ts";
import { crashAt, intercept } from "../support/intercept.ts";
import { allSchedules, interleave } from "../support/interleaving.ts";

const server = createClient({ url: inject("redisUrl") });
const cluster = createCluster({ rootNodes: inject("redisClusterUrls").map((url) => ({ url })) });

beforeAll(async () => {
  await Promise.all([server.connect(), cluster.connect()]);
});
afterAll(async () => {
  await Promise.all([server.close(), cluster.close()]);
});

type Call = (provider: VersionedMemoryProvider) => Promise<{ readonly success: boolean }>;

const erasures: Readonly<Record<string, Call>> = {
  deleteConversation: (provider) => provider.deleteConversation("p"),
  clearUserConversations: (provider) => provider.clearUserConversations("u"),
};

describe.each([
  ["a server", server],
  ["a Cluster", cluster],
] as const)("children on %s", (where, client) => {
  it("are whole if their creation is cut off at any step", async () => {
    let success = false;
    for (let commands = 0; !success; commands++) {
      const { provider, at } = await start(client);
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
      const { provider, at } = await start(client);
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
        const { provider, at } = await start(client);
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
      const { keys, provider, at } = await start(client);
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
    const { provider, keys, at } = await start(cluster);
    await store(provider, "p");
    const childOf = await parentOf(provider, "p");
    let count = 0;
    const between = intercept(cluster, async ({ send }) => {
      if (count >= last) throw new Error("Connection is closed.");
      if (count++ === step) await provider.appendMessages("c", hello, { userId: "u", traceId: "of c" });
      return send();
    });
    const slow = await at(between);
    await slow.appendMessages("c", hello, { userId: "u", traceId: "t2" }, { childOf });
    return { provider, keys, steps: count };
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
    const { provider, at } = await start(cluster);
    await store(provider, "p");
    const childOf = await parentOf(provider, "p");
    let late = 0;
    const delayed = intercept(cluster, async ({ args, send }) => {
      const index = args.findIndex((arg) => arg.includes('"indexing":"reserved"'));
      if (index !== -1 && late++ === 0) {
        const given = JSON.parse(args[index] ?? "");
        (args as string[])[index] = JSON.stringify({ ...given, reservedAt: given.reservedAt - 61_000 });
      }
      return send();
    });
    const slow = await at(delayed);
    expect((await slow.appendMessages("c", hello, owned, { childOf })).success).toBe(true);
    expect(late).toBe(2);
    expect(await found(provider, { childrenOf: "p" })).toEqual(["c"]);
  });
});
