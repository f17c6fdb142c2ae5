import { createScriptedModel } from "@jaf/core/testing";
import { type ConversationStore, type Message, providerOf, type VersionedMemoryProvider } from "@jaf/memory";
import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { Redis } from "ioredis";
import pg from "pg";
import { createClient } from "redis";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import {
  answer,
  around,
  createCountingModel,
  createHeldModel,
  lost,
  startServer,
  stateOf,
} from "../support/server/beginnings.ts";
import { openPostgres, openRedis, type Stores } from "../support/server/stores.ts";

type Pair = Pick<Stores, "provider" | "turnLog">;

const create = async ({ provider }: Pick<Stores, "provider">, userId = "ada") => {
  const made = await provider.appendMessages("c", [], { userId }, { createIfMissing: true });
  if (!made.success) throw new Error(made.error.message);
};

const ONCE = { texts: ["Hello", "Good morning."], turns: ["ended"] };

const schemaOf = () => `test_${crypto.randomUUID().replaceAll("-", "")}`;

async function postgresPair(client: pg.Pool | pg.Client): Promise<Pair> {
  const [one, two] = [schemaOf(), schemaOf()];
  onTestFinished(async () => {
    await client.query(
      `SET client_min_messages = warning; DROP SCHEMA ${one} CASCADE; DROP SCHEMA ${two} CASCADE`,
    );
    await client.end();
  });
  return {
    provider: await createPostgresProvider({ schema: one }, client),
    turnLog: await createPostgresTurnLog({ schema: two }, client),
  };
}

const pairs: readonly (readonly [string, () => Promise<Pair>])[] = [
  ["two schemas of a pool", () => postgresPair(new pg.Pool({ connectionString: inject("pgUrl") }))],
  [
    "two schemas of a connection",
    async () => {
      const client = new pg.Client({ connectionString: inject("pgUrl") });
      await client.connect();
      return postgresPair(client);
    },
  ],
  [
    "two prefixes of node-redis",
    async () => {
      const client = await createClient({ url: inject("redisUrl") }).connect();
      onTestFinished(() => client.close());
      return {
        provider: await createRedisProvider({ keyPrefix: `test:${crypto.randomUUID()}:` }, client),
        turnLog: createRedisTurnLog({ keyPrefix: `test:${crypto.randomUUID()}:` }, client),
      };
    },
  ],
  [
    "two prefixes of ioredis",
    async () => {
      const client = new Redis(inject("redisUrl"));
      onTestFinished(() => client.disconnect());
      return {
        provider: await createRedisProvider({ keyPrefix: `test:${crypto.randomUUID()}:` }, client),
        turnLog: createRedisTurnLog({ keyPrefix: `test:${crypto.randomUUID()}:` }, client),
      };
    },
  ],
];

describe.each(pairs)("a turn in %s", (_, open) => {
  it.each([false, true])("takes place once, also if the first answer is lost: %s", async (isLost) => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    let begun = 0;
    const provider = around(stores.provider, async (...given) => {
      begun += 1;
      const made = await stores.provider.appendMessages(...given);
      return isLost && begun === 1 ? lost() : made;
    });
    const server = await startServer({ ...stores, provider, model });
    const { status, body } = await server.ask({});
    expect(status, JSON.stringify(body)).toBe(200);
    const { conversationId } = answer.parse(body).data;
    expect(await stateOf(stores as Stores, conversationId)).toEqual(ONCE);
    expect((await server.ask({ conversationId })).status).toBe(200);
    expect(calls()).toBe(2);
    // An application's transaction may be open on a connection.
    expect(begun).toBe(_ === "two schemas of a connection" ? 0 : 2);
    expect((await server.call("DELETE", `/conversations/${conversationId}`)).status).toBe(200);
    expect(await stateOf(stores as Stores, conversationId)).toEqual({ texts: undefined, turns: [] });
  });
});

describe.each([
  { store: "Postgres", open: openPostgres },
  { store: "Redis", open: openRedis },
])("more attacks with $store", ({ open }) => {
  it("runs an approved tool once if the conversation is renamed before the first write", async () => {
    const stores = await open();
    let tools = 0;
    const onTool = () => {
      tools += 1;
    };
    let isReady = false;
    const provider = around(stores.provider, async (...given) => {
      if (isReady) await server.call("PATCH", "/conversations/c", { title: "new" });
      return stores.provider.appendMessages(...given);
    });
    const model = createScriptedModel([{ toolCalls: [{ name: "mail", arguments: {} }] }, "Sent."]);
    const server = await startServer({ ...stores, provider, model, onTool });
    await create(stores);
    const asked = await server.ask({ conversationId: "c" });
    const [interruption] = (
      asked.body as {
        data: { interruptions: { approvalId: string; toolCall?: { id: string }; toolCallId?: string }[] };
      }
    ).data.interruptions;
    isReady = true;
    const approval = {
      toolCallId: interruption?.toolCallId ?? interruption?.toolCall?.id,
      approvalId: interruption?.approvalId,
      approved: true,
    };
    const { status, body } = await server.call("POST", "/chat", {
      conversationId: "c",
      approvals: [approval],
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(answer.parse(body).data.text).toBe("Sent.");
    expect(tools).toBe(1);
    expect((await stateOf(stores, "c")).turns).toEqual(["ended", "ended"]);
  });

  it("goes on after the new messages if they are replaced before the first write", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    let isReplaced = false;
    const provider = around(stores.provider, async (...given) => {
      if (!isReplaced) {
        isReplaced = true;
        await stores.provider.storeMessages("c", [{ role: "user", content: "Other" }], { userId: "ada" });
      }
      return stores.provider.appendMessages(...given);
    });
    const server = await startServer({ ...stores, provider, model });
    await create(stores);
    expect((await server.ask({ conversationId: "c" })).status).toBe(200);
    expect(await stateOf(stores, "c")).toEqual({ ...ONCE, texts: ["Other", ...ONCE.texts] });
    expect(calls()).toBe(1);
  });

  it("is refused if the conversation goes to another user before the first write", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const provider = around(stores.provider, async (...given) => {
      await stores.provider.deleteConversation("c");
      await create(stores, "eve");
      return stores.provider.appendMessages(...given);
    });
    const server = await startServer({ ...stores, provider, model });
    await create(stores);
    const { status } = await server.ask({ conversationId: "c" });
    expect([404, 409]).toContain(status);
    expect(await stateOf(stores, "c")).toEqual({ texts: [], turns: [] });
    expect(calls()).toBe(0);
  });

  it("is refused if a client's copy is old, and leaves no turn", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const server = await startServer({ ...stores, model });
    await create(stores);
    await stores.provider.appendMessages("c", [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ]);
    for (const more of [
      { history: [{ role: "user", content: "x" }] },
      { historyToken: "x" },
      { history: [{ role: "user", content: "a" }], historyToken: "x" },
      { approvals: [{ toolCallId: "a", approvalId: "b", approved: true }], message: undefined },
      { toolResults: [{ toolCallId: "a", result: "b" }], message: undefined },
    ])
      expect([more, (await server.ask({ conversationId: "c", ...more })).status]).toEqual([more, 409]);
    expect(await stateOf(stores, "c")).toEqual({ texts: ["a", "b"], turns: [] });
    expect(calls()).toBe(0);
  });

  it("is refused while a run of the application holds the conversation's lease", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    const held = createHeldModel();
    const application = await startServer({
      provider: stores.provider,
      turnLog: (await open()).turnLog,
      model: held.model,
    });
    const server = await startServer({ ...stores, model });
    await create(stores);
    const running = application.ask({ conversationId: "c" });
    await expect.poll(held.calls).toBe(1);
    expect((await server.ask({ conversationId: "c" })).status).toBe(409);
    expect((await stateOf(stores, "c")).turns).toEqual([]);
    held.go();
    expect((await running).status).toBe(200);
    expect(calls()).toBe(0);
    expect((await stateOf(stores, "c")).texts).toEqual(ONCE.texts);
  });

  it("goes on elsewhere if its first write is never answered", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    let isMade = false;
    const provider = around(stores.provider, async (...given) => {
      await stores.provider.appendMessages(...given);
      isMade = true;
      return new Promise(() => {});
    });
    const turns = { leaseSeconds: 1 };
    const dead = await startServer({ ...stores, provider, model, turns });
    await create(stores);
    void dead.ask({ conversationId: "c" });
    await expect.poll(() => isMade).toBe(true);
    await startServer({ ...stores, model, turns: { ...turns, recoverMs: 50 } });
    await expect.poll(() => stateOf(stores, "c")).toEqual(ONCE);
    expect(calls()).toBe(1);
  });

  it("keeps order if a message follows while the first write is answered", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    let second: { status: number } | undefined;
    const provider = around(stores.provider, async (...given) => {
      const made = await stores.provider.appendMessages(...given);
      second ??= await other.ask({ conversationId: "c", message: "Second" });
      return made;
    });
    const server = await startServer({ ...stores, provider, model });
    const other = await startServer({ ...stores, model });
    await create(stores);
    expect((await server.ask({ conversationId: "c" })).status).toBe(200);
    expect(second?.status).toBe(409);
    expect(await stateOf(stores, "c")).toEqual(ONCE);
    expect(calls()).toBe(1);
  });

  it("replaces a message once if the first write of an edit is lost", async () => {
    const stores = await open();
    const { model, calls } = createCountingModel();
    let left = 1;
    const provider: VersionedMemoryProvider = {
      ...stores.provider,
      appendMessages: async (...given) => {
        const made = await stores.provider.appendMessages(...given);
        return given[3]?.dropLast !== undefined && left-- > 0 ? lost() : made;
      },
    };
    const server = await startServer({ ...stores, provider, model });
    await create(stores);
    await server.ask({ conversationId: "c", message: "First" });
    const edit = { position: 0, version: 3, message: "Hello" };
    const { status, body } = await server.call("POST", "/conversations/c/edit", edit);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(await stateOf(stores, "c")).toEqual({ texts: ONCE.texts, turns: ["ended", "ended"] });
    expect((await server.call("POST", "/conversations/c/edit", edit)).status).toBe(409);
    expect(calls()).toBe(2);
  });
});

describe("a store with five methods", () => {
  it("takes place once, and only for its owner", async () => {
    const { turnLog } = await openRedis();
    const kept: Message[] = [];
    const store: ConversationStore = {
      create: async () => "c",
      load: async (id) => (id === "c" ? [...kept] : []),
      append: async (_, messages) => void kept.push(...messages),
      setTitle: async () => {},
      list: async (userId) => (userId === undefined || userId === "ada" ? [{ id: "c", userId: "ada" }] : []),
    };
    const provider = providerOf(store) as VersionedMemoryProvider;
    const { model, calls } = createCountingModel();
    const server = await startServer({ provider, turnLog, model });
    expect((await server.ask({ conversationId: "c" }, "eve")).status).toBe(404);
    const { status, body } = await server.ask({ conversationId: "c" });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(kept.map(({ content }) => content)).toEqual(ONCE.texts);
    expect((await server.call("GET", "/conversations/c", undefined, "eve")).status).toBe(404);
    expect(calls()).toBe(1);
  });
});
