import { createInMemoryProvider, MemoryConversationStore } from "@jaf/memory";
import { afterEach, describe, expect, it } from "vitest";
import {
  type Agent,
  createAgentClient,
  getConversationStore,
  handoffTool,
  setConversationStore,
} from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { clientSetup, createEcho, type Session } from "../support/client.ts";

afterEach(() => setConversationStore(undefined));

const agent: Agent<Session, string> = { name: "helper", instructions: () => "" };
const working = { modelProvider: createEcho(), context: {} };

describe("a configuration", () => {
  it.each([
    ["modelProvider", { modelProvider: {} }],
    ["maxTurns", { maxTurns: 0 }],
    ["onEvent", { onEvent: "log" }],
    ["validate", { validate: {} }],
    ["store", { store: {} }],
    ["store", { store: "redis" }],
    ["append()", { store: { ...new MemoryConversationStore(), create: () => "", load: () => [] } }],
    ["agents", { agents: { helper: agent } }],
    ["agents", { agents: new Map([["helper", { ...agent }]]) }],
    ["memory.provider", { memory: { provider: createInMemoryProvider() } }],
    ["memory.userId", { memory: { userId: "u" } }],
    ["memory.maxMessages", { memory: { maxMessages: 0 } }],
    ["memory.durability", { memory: { durability: "never" } }],
    ["conversationId", { conversationId: "c" }],
  ])("with a bad %s is a TypeError that names it", (field, bad) => {
    const create = () => createAgentClient(agent, { ...working, ...bad } as never);

    expect(create).toThrow(TypeError);
    expect(create).toThrow(field);
  });

  it("needs an agent with a name that can be stored", () => {
    expect(() => createAgentClient({ ...agent, name: "" }, working)).toThrow("Invalid agent: name");
  });

  it("registers further agents for handoffs", async () => {
    const expert: Agent<Session, string> = { name: "expert", instructions: () => "" };
    const { client } = clientSetup({
      model: [
        { toolCalls: [{ name: "handoff", arguments: { agentName: "expert", reason: "" } }] },
        "Expertly.",
      ],
      agent: { tools: [handoffTool], handoffs: ["expert"] },
      config: { agents: new Map([["expert", expert]]) },
    });

    const { finalState, text } = await client.prompt("Help");

    expect([finalState.currentAgentName, text]).toEqual(["expert", "Expertly."]);
  });

  it("passes the run's settings to the run", async () => {
    const model = createScriptedModel<Session>(["Hello."]);
    const { client } = clientSetup({
      model,
      config: {
        modelOverride: "small",
        initialInputGuardrails: [(text) => ({ isValid: text !== "bad", errorMessage: "no" })],
      },
    });

    await client.prompt("Hi");
    const blocked = await client.prompt("bad");

    expect(model.requests[0]?.config.modelOverride).toBe("small");
    expect(blocked.outcome).toMatchObject({ error: { _tag: "InputGuardrailTripwire" } });
  });
});

describe("a context", () => {
  it.each([
    ["a value", { userId: "u" }],
    ["a function", () => ({ userId: "u" })],
    ["an async function", async () => ({ userId: "u" })],
  ])("can be %s", async (_title, context) => {
    const { client } = clientSetup({
      agent: { instructions: ({ context: { userId } }) => `For ${userId}.` },
      model: [({ instructions }) => instructions],
      config: { context },
    });

    expect((await client.prompt("Hi")).text).toBe("For u.");
  });

  it("is created for each prompt, unless the prompt has its own", async () => {
    let made = 0;
    const { client } = clientSetup({
      agent: { instructions: ({ context: { userId } }) => `${userId}` },
      model: Array.from(
        { length: 3 },
        () =>
          ({ instructions }: { instructions: string }) =>
            instructions,
      ),
      config: {
        context: () => {
          made += 1;
          return { userId: `${made}` };
        },
      },
    });

    const texts: string[] = [];
    for (const options of [{}, { context: { userId: "mine" } }, {}]) {
      texts.push((await client.prompt("Hi", options)).text);
    }

    expect(texts).toEqual(["1", "mine", "2"]);
  });
});

describe("the options of a prompt", () => {
  it.each([
    ["message", { message: [] }],
    ["validate", { validate: true }],
    ["signal", { signal: {} }],
    ["traceId", { traceId: "" }],
    ["historyLimit", { conversation: { user: "u", historyLimit: 0 } }],
    ["id", { conversation: { user: "u", id: 17 } }],
    ["user", { conversation: { user: { id: 1 } } }],
    ["userId", { conversation: { userId: "u" } }],
  ])("with a bad %s are a TypeError that names it", async (field, options) => {
    const prompted = clientSetup().client.prompt("Hi", options as never);

    await expect(prompted).rejects.toThrow(TypeError);
    await expect(prompted).rejects.toThrow(field);
  });

  it("throw a TypeError for a misspelt field in a declaration", async () => {
    const { client } = clientSetup({ agent: { conversational: () => ({ userId: "u" }) as never } });

    await expect(client.prompt("Hi")).rejects.toThrow("Invalid Agent.conversational: userId");
  });

  it.each([
    ["an empty text", ""],
    ["nothing at all, with nothing to go on with", []],
    ["a message that isn't a user's", [{ role: "assistant", content: "I said so." }]],
    ["what is no list", 17],
  ])("is invalid: %s", async (_title, input) => {
    const { client } = clientSetup();

    await expect(client.prompt(input as never)).rejects.toThrow(/^Invalid prompt input/);
    await expect(client.forUser("u").prompt(input as never)).rejects.toThrow(/^Invalid prompt input/);
  });

  it.each([undefined, null, "", "\0", "x".repeat(256), 17])("%j names no user", (id) => {
    expect(() => clientSetup().client.forUser(id as never)).toThrow(/^Invalid user id/);
  });

  it.each([undefined, null, 17, {}])("refuses %j as a conversation id", (id) => {
    expect(() => clientSetup().client.continue(id as never)).toThrow(/^Invalid conversation id/);
  });
});

describe("the store of the process", () => {
  it("is used if a client has none, also if it is set later", async () => {
    const { client } = clientSetup({ config: { store: undefined as never } });
    const [first, second] = [new MemoryConversationStore(), new MemoryConversationStore()];

    setConversationStore(first);
    await client.forUser("u").prompt("one");
    setConversationStore(second);
    await client.forUser("u").prompt("two");

    expect(getConversationStore()).toBe(second);
    expect([await first.list("u"), await second.list("u")].map(({ length }) => length)).toEqual([1, 1]);
  });

  it("is used after a client's own", async () => {
    const shared = new MemoryConversationStore();
    setConversationStore(shared);
    const { client, store } = clientSetup();

    await client.forUser("u").prompt("Hi");

    expect(await shared.list()).toEqual([]);
    expect(await store.list()).toHaveLength(1);
  });

  it("can be a provider, but nothing other than a store", async () => {
    setConversationStore(createInMemoryProvider());

    expect(await getConversationStore()?.list()).toEqual([]);
    expect(() => setConversationStore({} as never)).toThrow(/^Invalid conversation store/);
  });

  it("is required for a declared conversation", async () => {
    const { client } = clientSetup({
      agent: { conversational: { user: "u" } },
      config: { store: undefined as never },
    });

    await expect(client.prompt("Hi")).rejects.toThrow(/setConversationStore/);
    expect((await client.prompt("Hi", { conversation: false })).text).toBe("Hi");
  });
});
