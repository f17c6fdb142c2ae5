import { createAnthropicProvider } from "@jaf/anthropic";
import type { TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { createServerApp } from "@jaf/server";
import { createClient } from "redis";
import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import {
  around,
  createCountingModel,
  createHeldModel,
  lost,
  startServer,
  stateOf,
} from "./support/server/beginnings.ts";
import { openPostgres, openRedis, type Stores } from "./support/server/stores.ts";

const create = async ({ provider }: Pick<Stores, "provider">, userId = "ada") => {
  const made = await provider.appendMessages("c", [], { userId }, { createIfMissing: true });
  if (!made.success) throw new Error(made.error.message);
};

describe.each([
  { store: "Postgres", open: openPostgres },
  { store: "Redis", open: openRedis },
])("edges with $store", ({ open }) => {
  it("calls the model once if another process took the turn over before `begin` was answered", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const turns = { leaseSeconds: 1 };
    const turnLog: TurnLog = {
      ...stores.turnLog,
      begin: async (turn) => {
        const begun = await stores.turnLog.begin(turn);
        await expect.poll(async () => (await stateOf(stores, "c")).turns).toEqual(["ended"]);
        return begun;
      },
    };
    await startServer({ ...stores, model, turns: { ...turns, recoverMs: 50 } });
    const { ask } = await startServer({ ...stores, turnLog, model, turns });
    await create(stores);
    const { status, body } = await ask({ conversationId: "c" });
    expect(await stateOf(stores, "c")).toEqual({ texts: ["Hello", "Good morning."], turns: ["ended"] });
    expect(calls()).toBe(1);
    expect(status, JSON.stringify(body)).toBe(200);
  });

  it("is answered if `begin` was lost and another process took the turn over and ended it", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const turns = { leaseSeconds: 1 };
    let left = 1;
    const turnLog: TurnLog = {
      ...stores.turnLog,
      begin: async (turn) => {
        const begun = await stores.turnLog.begin(turn);
        if (left-- <= 0) return begun;
        await expect.poll(async () => (await stateOf(stores, "c")).turns).toEqual(["ended"]);
        return lost();
      },
    };
    await startServer({ ...stores, model, turns: { ...turns, recoverMs: 50 } });
    const { ask } = await startServer({ ...stores, turnLog, model, turns });
    await create(stores);
    const { status, body } = await ask({ conversationId: "c" });
    expect(await stateOf(stores, "c")).toEqual({ texts: ["Hello", "Good morning."], turns: ["ended"] });
    expect(calls()).toBe(1);
    expect(status, JSON.stringify(body)).toBe(200);
  });

  it("keeps its message and fails if its late beginning made another turn's messages look like its own", async () => {
    const stores = await open();
    const { model } = createCountingModel();
    const other = await startServer({ ...stores, model });
    let arrive: () => Promise<unknown> = async () => undefined;
    let begins = 0;
    let isDown = true;
    const turnLog: TurnLog = {
      ...stores.turnLog,
      begin: async (turn) => {
        begins += 1;
        if (begins === 1) arrive = () => stores.turnLog.begin(turn);
        if (begins === 3) {
          await other.ask({ conversationId: "c", message: "Other" });
          await arrive();
          isDown = false;
        }
        return lost();
      },
      read: async (query) => (isDown ? lost() : stores.turnLog.read(query)),
    };
    const server = await startServer({ ...stores, turnLog, model, turns: { leaseSeconds: 1 } });
    await create(stores);
    const { status, body } = await server.ask({ conversationId: "c" });
    const { texts, turns } = await stateOf(stores, "c");
    expect([texts, turns], JSON.stringify([status, body, begins])).toEqual([
      ["Other", "Good morning.", "Hello"],
      ["ended", "ended"],
    ]);
    expect(body).toMatchObject({ data: { status: "error", error: { code: "MemoryError" } } });
  });

  it("isn't reported as completed if the store fails once while another process takes it over", async () => {
    const stores = await open();
    const held = createHeldModel();
    const durability = "completed";
    const first = await startServer({ ...stores, model: held.model, durability });
    await create(stores);
    await stores.provider.appendMessages("c", [
      { role: "user", content: "Before" },
      { role: "assistant", content: "Earlier reply" },
    ]);
    const asked = first.ask({ conversationId: "c" });
    await expect.poll(held.calls).toBe(1);
    await first.app.close();
    await asked;
    let reads = 0;
    const provider: VersionedMemoryProvider = {
      ...stores.provider,
      readConversation: async (...given) => {
        reads += 1;
        return reads === 2 ? lost() : stores.provider.readConversation(...given);
      },
    };
    const { model } = createCountingModel();
    await startServer({ ...stores, provider, model, durability, turns: { recoverMs: 50 } });
    await expect.poll(async () => (await stateOf(stores, "c")).turns).toEqual(["ended"]);
    const turns = await stores.turnLog.turnsOf("c");
    const record = turns.success ? (turns.data[0]?.record ?? "") : "";
    const isStored = (await stateOf(stores, "c")).texts?.includes("Hello") === true;
    expect(isStored, record).toBe(record.includes('"status":"completed"'));
  });

  it("isn't reported as missing if the stores fail and it never begins", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const fail = async () => lost();
    const server = await startServer({
      ...{ provider: around(stores.provider, fail), model },
      turnLog: {
        ...stores.turnLog,
        beginning: (turn) => stores.turnLog.beginning?.(turn) as never,
        ...{ begin: fail, renew: fail, read: fail },
      },
    });
    await create(stores);
    const { status, body } = await server.ask({ conversationId: "c" });
    expect(status, JSON.stringify(body)).toBe(503);
    expect(calls()).toBe(0);
  });

  it("doesn't show a cached reading of another user, with a wrapper that caches by id", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const cache = new Map<string, ReturnType<VersionedMemoryProvider["readConversation"]>>();
    const provider: VersionedMemoryProvider = {
      ...stores.provider,
      readConversation: (id, options = {}) => {
        const { owner: _, signal: __, ...rest } = options;
        const key = JSON.stringify([id, rest]);
        const known = cache.get(key) ?? stores.provider.readConversation(id, rest);
        cache.set(key, known);
        return known;
      },
    };
    const server = await startServer({ ...stores, provider, model });
    await create(stores, "eve");
    await stores.provider.appendMessages("c", [{ role: "user", content: "Eve's" }]);
    expect((await server.call("GET", "/conversations/c", undefined, "eve")).status).toBe(200);
    for (const [method, path] of [
      ["GET", "/conversations/c"],
      ["GET", "/conversations/c/turns"],
      ["GET", "/conversations/c/export"],
      ["GET", "/ai-sdk/chat/c/messages"],
    ] as const)
      expect(JSON.stringify((await server.call(method, path)).body)).not.toContain("Eve's");
    expect((await server.ask({ conversationId: "c" })).status).toBe(404);
    expect(calls()).toBe(0);
  });

  it("reads nothing with an owner and a receipt of another user's write", async () => {
    const { provider } = await open();
    await provider.appendMessages("c", [], { userId: "eve" }, { createIfMissing: true, idempotencyKey: "k" });
    for (const messages of [
      "all",
      "none",
      { limit: 1 },
      { before: 1 },
      { after: 0 },
      { messageId: "x" },
    ] as const) {
      const foreign = await provider.readConversation("c", {
        messages,
        owner: "ada",
        receiptFor: "k",
        userId: "ada",
      });
      const missing = await provider.readConversation("d", {
        messages,
        owner: "ada",
        receiptFor: "k",
        userId: "ada",
      });
      const plain = (read: typeof foreign) => (read.success ? { ...read.data, readAt: undefined } : read);
      expect(plain(foreign)).toEqual(plain(missing));
      expect(await provider.readConversation("c", { messages, owner: "eve", receiptFor: "k" })).toMatchObject(
        {
          data: { receipt: { nextPosition: 0 } },
        },
      );
    }
  });

  it("shows a reader who joins before the first write is answered what is said, while the turn runs", async () => {
    const stores = await open();
    const held = createHeldModel();
    let reader: Promise<Response> | undefined;
    const provider = around(stores.provider, async (...given) => {
      const made = await stores.provider.appendMessages(...given);
      reader = server.app.fetch(
        new Request("http://localhost/conversations/c/events", {
          headers: { accept: "text/event-stream", user: "ada" },
        }),
      ) as Promise<Response>;
      await reader;
      return made;
    });
    const server = await startServer({ ...stores, provider, model: held.model });
    await create(stores);
    const asked = server.ask({ conversationId: "c" });
    await expect.poll(held.calls).toBe(1);
    const body = (await reader)?.body?.getReader();
    let seen = "";
    while (!seen.includes("turn_start")) {
      const { value, done } = (await body?.read()) ?? { done: true };
      if (done) break;
      seen += new TextDecoder().decode(value);
    }
    expect(seen).toContain("turn_start");
    held.go();
    await asked;
    await body?.cancel();
  });

  it("answers each of two users with their own conversation of the same chat id", async () => {
    const stores = await open();
    const { model } = createCountingModel();
    const server = await startServer({ ...stores, model });
    const say = (user: string) =>
      server.send(
        "POST",
        "/ai-sdk/chat",
        {
          ...{ id: "chat", trigger: "submit-message" },
          messages: [{ id: "m", role: "user", parts: [{ type: "text", text: `I am ${user}` }] }],
        },
        user,
      );
    await Promise.all(["ada", "eve"].map(async (user) => (await say(user)).text()));
    for (const [user, other] of [
      ["ada", "eve"],
      ["eve", "ada"],
    ] as const) {
      const shown = JSON.stringify(
        (await server.call("GET", "/ai-sdk/chat/chat/messages", undefined, user)).body,
      );
      expect(shown).toContain(`I am ${user}`);
      expect(shown).not.toContain(`I am ${other}`);
    }
  });
});

describe("Redis with a ttl", () => {
  it("isn't kept alive by another user's reads", async () => {
    const keyPrefix = `test:${crypto.randomUUID()}:`;
    const client = await createClient({ url: inject("redisUrl") }).connect();
    onTestFinished(() => client.close());
    const provider = await createRedisProvider({ keyPrefix, ttl: 1_000 }, client);
    const { model } = createCountingModel();
    const server = await startServer({ provider, turnLog: createRedisTurnLog({ keyPrefix }, client), model });
    await create({ provider }, "eve");
    const [key = ""] = await client.keys(`${keyPrefix}*conversation*`);
    const keys = (await client.keys(`${keyPrefix}*`)).filter((one) => one.includes("c"));
    for (const one of keys) await client.expire(one, 100);
    for (const [method, path, body] of [
      ["GET", "/conversations/c", undefined],
      ["GET", "/conversations/c?before=1", undefined],
      ["POST", "/chat", { conversationId: "c", message: "x" }],
      ["POST", "/conversations/c/edit", { position: 0, version: 1, message: "x" }],
      ["POST", "/conversations/c/regenerate", { version: 1 }],
      ["POST", "/conversations/c/copy", { version: 1 }],
      ["DELETE", "/conversations/c", undefined],
      ["GET", "/ai-sdk/chat/c/messages", undefined],
    ] as const)
      await server.call(method, path, body);
    expect(key).not.toBe("");
    for (const one of keys) expect(await client.ttl(one)).toBeLessThanOrEqual(100);
  });
});

describe("options", () => {
  const { model } = createCountingModel();
  const agents = [{ name: "assistant", instructions: "Help." }] as const;
  it.each([
    { turns: { leaseSecond: 5 } },
    { cors: { origins: ["https://a.example"], origin: "https://b.example" } },
    { limits: { turnPerUser: 1 } },
    { turnlog: {} },
  ])("refuses the misspelled $0", async (options) => {
    const { provider, turnLog } = await openRedis();
    await expect(
      createServerApp(
        [...agents],
        { modelProvider: model },
        {
          ...{ defaultMemoryProvider: provider, turnLog },
          ...(options as object),
        },
      ).then((app) => app.close()),
    ).rejects.toThrow(TypeError);
  });

  it.each(["https://a.example \n", "https://a.example?x=1", "https://a.example#x"])(
    "names ANTHROPIC_BASE_URL if it is %j, or sends requests to its path",
    async (address) => {
      vi.stubEnv("ANTHROPIC_BASE_URL", address);
      vi.stubEnv("ANTHROPIC_API_KEY", "k");
      onTestFinished(() => void vi.unstubAllEnvs());
      const urls: string[] = [];
      try {
        const provider = createAnthropicProvider({
          model: "m",
          fetch: async (url) => {
            urls.push(String(new URL(String(url)).pathname));
            return new Response("{}", { status: 400 });
          },
        });
        await provider.getCompletion(
          { messages: [{ role: "user", content: "x" }] } as never,
          { name: "a", instructions: () => "x" } as never,
          {} as never,
        );
      } catch (thrown) {
        if (urls.length === 0) expect(String(thrown)).toContain("ANTHROPIC_BASE_URL");
      }
      if (urls.length > 0) expect(urls[0]).toBe("/v1/messages");
    },
  );
});
