import { type ConversationStore, createInMemoryProvider, MemoryConversationStore } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { clientSetup, createEcho, MapStore, type Session } from "../support/client.ts";

const perSession = { conversational: ({ userId }: Session) => ({ user: userId }) };
const as = (userId: string) => ({ context: { userId } });

describe.each([
  ["a store over a provider", () => new MemoryConversationStore()],
  ["a store of five methods", () => new MapStore()],
])("the threads of %s", (_name, createStore: () => ConversationStore) => {
  it("keep users apart", async () => {
    const { client } = clientSetup({ agent: perSession, config: { store: createStore() } });

    await client.prompt("from A", as("a"));
    await client.prompt("from B", as("b"));

    expect((await client.prompt("again", as("a"))).text).toBe("from A | again");
    expect((await client.prompt("again", as("b"))).text).toBe("from B | again");
  });

  it("keep agents apart, and follow an agent key through a change of name", async () => {
    const store = createStore();
    const chat = clientSetup({ agent: { name: "Chat", ...perSession }, config: { store } });
    const support = clientSetup({ agent: { name: "Support", ...perSession }, config: { store } });
    const renamed = clientSetup({
      agent: { name: "Talk", conversational: ({ userId }) => ({ user: userId, agent: "Chat" }) },
      config: { store },
    });

    await chat.client.prompt("to chat", as("u"));
    await support.client.prompt("to support", as("u"));

    expect((await chat.client.prompt("again", as("u"))).text).toBe("to chat | again");
    expect((await support.client.prompt("again", as("u"))).text).toBe("to support | again");
    expect((await renamed.client.prompt("renamed", as("u"))).text).toBe("to chat | again | renamed");
  });

  it("aren't the conversations of forUser", async () => {
    const { client } = clientSetup({ agent: perSession, config: { store: createStore() } });

    await client.forUser("u").prompt("explicit");

    expect((await client.prompt("automatic", as("u"))).text).toBe("automatic");
  });

  it("are listed with their agent", async () => {
    const store = createStore();
    const { client } = clientSetup({ agent: perSession, config: { store } });

    const { conversationId } = await client.prompt("Hi", as("u"));

    expect(await store.list("u")).toMatchObject([{ id: conversationId, userId: "u", agent: "helper" }]);
  });

  it("are shared by two first prompts at the same time", async () => {
    const store = createStore();
    const { client } = clientSetup({
      agent: perSession,
      config: { store, memory: { concurrency: "queue" } },
    });

    const [one, other] = await Promise.all([client.prompt("one", as("u")), client.prompt("two", as("u"))]);

    expect(other.conversationId).toBe(one.conversationId);
    expect([one.outcome.status, other.outcome.status]).toEqual(["completed", "completed"]);
    expect(await store.list("u")).toHaveLength(1);
    expect((await client.prompt("three", as("u"))).text.split(" | ").sort()).toEqual(["one", "three", "two"]);
  });

  it("process queued prompts one by one, in order", async () => {
    const store = createStore();
    const { client } = clientSetup({
      agent: perSession,
      config: { store, memory: { concurrency: "queue" } },
    });
    const inputs = ["1", "2", "3", "4", "5", "6"];

    const results = await Promise.all(inputs.map((input) => client.prompt(input, as("u"))));

    expect(results.map(({ text }) => text)).toEqual(
      inputs.map((_, index) => inputs.slice(0, index + 1).join(" | ")),
    );
  });

  it("of hostile user ids and agent names don't collide", async () => {
    const store = createStore();
    const named = (agent: string) =>
      clientSetup({
        agent: { conversational: ({ userId }) => ({ user: userId, agent }) },
        config: { store },
      }).client;
    const pairs = [
      ["a", "b:c"],
      ["a:b", "c"],
      ["__proto__", "constructor"],
      ["*", "%"],
      ["é", "x"],
      ["e\u0301", "x"],
    ] as const;

    for (const [user, agent] of pairs) await named(agent).prompt(`${user}/${agent}`, as(user));

    for (const [user, agent] of pairs) {
      expect((await named(agent).prompt("!", as(user))).text).toBe(`${user}/${agent} | !`);
    }
  });
});

describe("a store that lists no agents", () => {
  it("gets a new conversation with each prompt", async () => {
    const store = new MapStore({ listsAgents: false });
    const { client } = clientSetup({ agent: perSession, config: { store } });

    await client.prompt("one", as("u"));

    expect((await client.prompt("two", as("u"))).text).toBe("two");
  });
});

describe("a store that ignores the argument of list", () => {
  it("never returns another user's thread", async () => {
    const store = new MapStore();
    const listAll = store.list.bind(store);
    store.list = () => listAll();
    const { client } = clientSetup({ agent: perSession, config: { store } });

    await client.prompt("A's secret", as("a"));

    expect((await client.prompt("Hi", as("b"))).text).toBe("Hi");
  });
});

describe("a thread that a store lists twice", () => {
  it("is the one that was written last", async () => {
    const store = new MapStore();
    const times = new Map([
      ["row-1", "2025-05-02T00:00:00Z"],
      ["row-2", "2025-05-03T00:00:00Z"],
      ["row-3", "2025-05-01T00:00:00Z"],
    ]);
    for (const id of times.keys()) {
      await store.create(undefined, { userId: "u", agent: "helper" });
      await store.append(id, [{ role: "user", content: id }]);
    }
    const list = store.list.bind(store);
    const dated = {
      list: async (userId?: string) =>
        (await list(userId)).map((entry) => ({ ...entry, updatedAt: times.get(entry.id) })),
    };
    const { client } = clientSetup({
      agent: perSession,
      config: { store: Object.assign(store, dated) as unknown as ConversationStore },
    });

    expect((await client.prompt("!", as("u"))).text).toBe("row-2 | !");
  });
});

describe("two clients over one provider", () => {
  it("share one thread, like two processes", async () => {
    const provider = createInMemoryProvider();
    const clients = [1, 2].map(
      () =>
        clientSetup({
          agent: perSession,
          model: createEcho(),
          config: { store: provider, memory: { concurrency: "queue" } },
        }).client,
    );

    const results = await Promise.all(clients.map((client, index) => client.prompt(`${index}`, as("u"))));

    expect(new Set(results.map(({ conversationId }) => conversationId)).size).toBe(1);
    expect(results.every(({ outcome }) => outcome.status === "completed")).toBe(true);
  });
});
