import type { Message, VersionedMemoryProvider } from "@jaf/memory";
import { createCluster } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { redisCommand } from "../../../../test/redis-command.ts";
import { createRedisProvider, type NodeRedisCluster } from "../../src/index.ts";
import { createKeys, hashTagOf, slotOf } from "../../src/keys.ts";
import { freshPrefix } from "../support/stores.ts";

const hello: readonly Message[] = [{ role: "user", content: "Hello" }];

const createClient = () => createCluster({ rootNodes: inject("redisClusterUrls").map((url) => ({ url })) });

let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  client = createClient();
  await client.connect();
});
afterAll(() => client.close());

describe("the slot of a tombstone", () => {
  const port = () => Number(new URL(inject("redisClusterUrls")[0] ?? "").port);
  const slotIn = async (key: string) => Number(await redisCommand(port(), "CLUSTER", "KEYSLOT", key));

  it("has a short hash tag, for every slot", () => {
    const slots = Array.from({ length: 16_384 }, (_, slot) => slot);
    const tags = slots.map(hashTagOf);
    expect(Math.max(...tags.map(({ length }) => length))).toBeLessThan(5);
    expect(tags.map((tag) => slotOf(`any:{${tag}}:key`))).toEqual(slots);
  });

  it.each(["plain:", "", "{tag}:", "über:{\u{1f680}}:"])(
    "under the prefix %j is that of the conversation or the user's index, as in Redis",
    async (prefix) => {
      const keys = createKeys(prefix);
      for (const id of ["c", "{c}", "{}x", "a}b{c", "%7B", "user:x", "ü\u{1f680}", "x".repeat(255), "*"]) {
        const { conversation } = keys.of(id);
        const pairs = [
          [keys.conversationTombstone(id), conversation],
          [keys.userTombstone(id), keys.userIndex(id)],
          [keys.importMarker(keys.userIndex(id)), keys.userIndex(id)],
        ] as const;
        for (const [beside, key] of pairs) {
          expect(await slotIn(beside), `${id} ${beside}`).toBe(await slotIn(key));
          expect(slotOf(beside)).toBe(await slotIn(key));
        }
      }
    },
  );
});

type Before = (count: number) => Promise<void>;

/** The same connection with a hook before each command and each transaction. */
function intercept(before: Before): NodeRedisCluster {
  let count = 0;
  return {
    isOpen: true,
    slots: [],
    multi: (key) => client.multi(key),
    sendCommand: async (key, isReadonly, args) => {
      await before(count++);
      return client.sendCommand(key, isReadonly, args);
    },
  };
}

type Call = (provider: VersionedMemoryProvider) => Promise<{ readonly success: boolean }>;

/** Runs `inner` before the command `at` of `outer`. Returns whether that command was reached. */
async function cut(keyPrefix: string, { outer, inner, at }: { outer: Call; inner: Call; at: number }) {
  const intact = await createRedisProvider({ keyPrefix }, client);
  let reached = false;
  const cutting = intercept(async (count) => {
    if (count !== at) return;
    reached = true;
    await inner(intact);
  });
  await outer(await createRedisProvider({ keyPrefix }, cutting));
  return reached;
}

const erasures: Readonly<Record<string, Call>> = {
  deleteConversation: (provider) => provider.deleteConversation("c"),
  clearUserConversations: (provider) => provider.clearUserConversations("u"),
};

describe.each(Object.entries(erasures))(
  "a creation on a Cluster that found nothing before %s",
  (_, erase) => {
    const creation =
      (expectedIncarnation: string): Call =>
      (provider) =>
        provider.appendMessages(
          "c",
          hello,
          { userId: "u", traceId: "t" },
          { createIfMissing: true, expectedIncarnation },
        );

    async function open() {
      const keyPrefix = freshPrefix();
      const provider = await createRedisProvider({ keyPrefix }, client);
      const read = await provider.readConversation("c", { userId: "u" });
      const token = read.success ? read.data.incarnation : expect.fail(read.error.message);
      return { keyPrefix, provider, write: creation(token) };
    }

    it("leaves nothing if the erasure comes between its steps", async () => {
      let reached = true;
      for (let at = 0; reached; at++) {
        const { keyPrefix, provider, write } = await open();
        reached = await cut(keyPrefix, { at, outer: write, inner: erase });
        if (!reached)
          expect(await provider.getConversation("c")).toMatchObject({ data: { messages: hello } });
        else {
          expect(await provider.getConversation("c"), `step ${at}`).toEqual({ success: true, data: null });
          expect(await provider.findConversations({}), `step ${at}`).toEqual({ success: true, data: [] });
        }
        expect(at).toBeLessThan(20);
      }
    });

    it("leaves nothing if it comes between the steps of the erasure", async () => {
      let reached = true;
      for (let at = 0; reached; at++) {
        const { keyPrefix, provider, write } = await open();
        await provider.storeMessages("other", hello, { userId: "u" });
        reached = await cut(keyPrefix, { at, outer: erase, inner: write });
        const erased = await provider.getConversation("c");
        if (reached) expect(erased, `step ${at}`).toEqual({ success: true, data: null });
        expect(at).toBeLessThan(20);
      }
    });

    it("leaves nothing if its steps and the erasure's alternate", async () => {
      // Both the creation and the erasure are paused before each of their commands.
      for (let step = 0; step < 6; step++) {
        for (let held = 0; held < 4; held++) {
          const { keyPrefix, provider, write } = await open();
          let finish = (): void => {};
          const finished = new Promise<void>((resolve) => {
            finish = resolve;
          });
          let erasing: Promise<unknown> | undefined;
          const pausing = intercept((count) => (count === held ? finished : Promise.resolve()));
          const begun = await createRedisProvider({ keyPrefix }, pausing);
          const creating = intercept(async (count) => {
            if (count !== step) return;
            erasing = erase(begun);
            await new Promise((resolve) => setTimeout(resolve, 10));
          });
          const written = await write(await createRedisProvider({ keyPrefix }, creating));
          finish();
          await erasing;
          if (erasing === undefined) continue;
          const left = await provider.getConversation("c");
          expect(left, `step ${step}, held ${held}: ${written.success}`).toEqual({
            success: true,
            data: null,
          });
        }
      }
    });
  },
);

describe("the reason of a refusal on a Cluster", () => {
  it("is the erasure of the user, which takes precedence over all other reasons", async () => {
    const provider = await createRedisProvider({ keyPrefix: freshPrefix() }, client);
    const read = await provider.readConversation("c", { userId: "u" });
    const expectedIncarnation = read.success ? read.data.incarnation : "";
    await provider.clearUserConversations("u");
    for (const wrong of [{ expectedVersion: 5 }, { expectedMetadataVersion: 5 }, { dropLast: 1 }, {}]) {
      const options = { ...wrong, expectedIncarnation, createIfMissing: !("dropLast" in wrong) };
      const result = await provider.appendMessages("c", hello, { userId: "u" }, options);
      expect(result).toMatchObject({ error: { reason: "incarnation" } });
    }
  });
});

describe("an import on a Cluster", () => {
  it("stays in its indexes if a reader that found no conversation removes its entry late", async () => {
    const keyPrefix = freshPrefix();
    const keys = createKeys(keyPrefix);
    const provider = await createRedisProvider({ keyPrefix }, client);
    await provider.storeMessages("c", hello, { userId: "u", traceId: "t" });
    const exported = await provider.exportConversation("c");
    const record = (exported.success && exported.data) || expect.fail("nothing exported");
    const held: (readonly string[])[] = [];
    const late = await createRedisProvider(
      { keyPrefix },
      {
        isOpen: true,
        slots: [],
        multi: (key?: string) => client.multi(key),
        sendCommand: async (key: string | undefined, isReadonly: boolean, args: string[]) => {
          // Its entries are removed after the conversation.
          if (!args.some((arg) => arg.startsWith(`${keyPrefix}imported:`))) {
            return client.sendCommand(key, isReadonly, args);
          }
          held.push(args);
          return 1;
        },
      },
    );
    expect(await late.deleteConversation("c")).toMatchObject({ data: true });
    expect(held).toHaveLength(3);
    expect(await provider.importConversation(record)).toMatchObject({ success: true });
    for (const args of held) await client.sendCommand(args[3], false, [...args]);
    for (const query of [{}, { userId: "u" }, { traceId: "t" }]) {
      const found = await provider.findConversations(query);
      expect(found, JSON.stringify(query)).toMatchObject({ data: [{ conversationId: "c" }] });
    }
    expect(await client.zScore(keys.userIndex("u"), "c")).toBe(record.lastActivity.getTime());
    expect(await provider.deleteConversation("c")).toMatchObject({ data: true });
    expect(await client.zScore(keys.userIndex("u"), "c")).toBeNull();
  });
});

it("creates no new identity for a missing conversation from a leftover entry", async () => {
  const keyPrefix = freshPrefix();
  const provider = await createRedisProvider({ keyPrefix }, client);
  const identity = async () => {
    const read = await provider.readConversation("c");
    return read.success ? read.data.incarnation : expect.fail(read.error.message);
  };
  await provider.storeMessages("c", hello, { userId: "u" });
  await provider.deleteConversation("c");
  const before = await identity();
  // As after a deletion in the same millisecond as the write.
  const index = createKeys(keyPrefix).userIndex("u");
  await client.sendCommand(index, false, ["ZADD", index, String(Date.now()), "c"]);
  await provider.clearUserConversations("u");
  expect(await identity()).toBe(before);
});
