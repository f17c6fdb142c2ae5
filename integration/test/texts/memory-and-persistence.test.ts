import { setConversationStore } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createConversationStore, type Message } from "@jaf/memory";
import { createPostgresCacheAdapter } from "@jaf/memory-postgres";
import { createRedisCacheAdapter } from "@jaf/memory-redis";
import { setUserMemory } from "@jaf/user-memory";
import { afterEach, describe, expect, it } from "vitest";
import { BACKENDS, freshPrefix, openDrivers } from "./backends.ts";
import { blockNamed } from "./blocks.ts";
import * as given from "./given/3-memory-and-persistence.ts";
import * as gemstack from "./given/ai-sdk.ts";
import { runBlock } from "./run.ts";

const TEXT = "3-memory-and-persistence";

const block = (name: string, values: object = {}, gemstackValues: object = {}) =>
  runBlock(TEXT, name, {
    given: { ...given, ...values },
    modules: { "@gemstack/ai-sdk": { ...gemstack, ...gemstackValues } },
  });

function useModel(replies: Parameters<typeof createScriptedModel>[0]) {
  const model = createScriptedModel(replies);
  gemstack.AiRegistry.reset();
  gemstack.AiRegistry.register({ name: "anthropic", ...model });
  gemstack.AiRegistry.setDefault("anthropic/claude-sonnet-4-6");
  return model;
}

afterEach(() => {
  setConversationStore(undefined);
  setUserMemory(undefined);
  gemstack.AiRegistry.reset();
});

const contents = (messages: readonly Message[]) => messages.map(({ content }) => content);

describe("the registry of providers", () => {
  it("has the model of all agents asked, with the key of the environment", async () => {
    const asked: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const { model } = JSON.parse(String(init?.body));
      asked.push([String(url), new Headers(init?.headers).get("x-api-key"), model]);
      return Response.json({ error: { type: "not_found_error", message: "no such model" } }, { status: 404 });
    };
    class AnthropicProvider extends gemstack.AnthropicProvider {
      constructor(options: object) {
        super({ ...options, fetch });
      }
    }
    const surroundings = {
      given,
      modules: { "@gemstack/ai-sdk": { ...gemstack, AnthropicProvider } },
      globals: { process: { env: { ANTHROPIC_API_KEY: "sk-test" } } },
    };
    await runBlock(TEXT, "registry", surroundings);
    await new given.AssistantAgent().prompt("Hi");
    expect(asked).toEqual([["https://api.anthropic.com/v1/messages", "sk-test", "claude-sonnet-4-6"]]);
  });
});

describe("prompt caching", () => {
  it("is declared on the class, and overridden by a call", async () => {
    const { SupportAgent } = await block("cacheable", { LONG_SYSTEM_PROMPT: "You are a support agent." });
    const { ChatAgent } = await block("cached-messages");
    const { SupportAgent: WithTtl } = await block("cache-ttl");
    const model = useModel(Array.from({ length: 5 }, () => "Done."));
    for (const agent of [new SupportAgent(), new ChatAgent(), new WithTtl()]) await agent.prompt("Hi");
    await block("cache-per-call", { agent: new SupportAgent() });
    expect(model.requests[0]?.instructions).toBe("You are a support agent.");
    const cached = model.requests.map(({ agent, config }) => config.cache ?? agent.cacheable);
    expect(cached).toEqual([
      { instructions: true, tools: true },
      { messages: 4 },
      { instructions: true, tools: true, ttl: "6h" },
      false,
      { tools: true },
    ]);
  });
});

describe("the registry of Google's cached contents", () => {
  it("is shared by processes, by an adapter on Redis or Postgres", async () => {
    const drivers = await openDrivers();
    const redis = await createRedisCacheAdapter({ keyPrefix: freshPrefix() }, await drivers.connectRedis());
    for (const myCacheAdapter of [
      redis,
      await createPostgresCacheAdapter({}, await drivers.connectPostgres()),
    ]) {
      const find = async (name: string) => {
        const { registry } = await block("google-registry", { myCacheAdapter });
        return registry.find({ key: "prompt", create: async () => ({ name, ttlSeconds: 3600 }) });
      };
      expect(await find("cachedContents/1")).toBe("cachedContents/1");
      expect(await find("cachedContents/2")).toBe("cachedContents/1");
    }
    await drivers.close();
  });
});

describe("conversations", () => {
  it("resume", async () => {
    const model = useModel(["Hello, Alice.", "Your name is Alice."]);
    const { first, second } = await block("conversations");
    expect(second.text).toBe("Your name is Alice.");
    expect(second.conversationId).toBe(first.conversationId);
    expect(contents(model.requests[1]?.state.messages ?? [])).toEqual([
      "My name is Alice.",
      "Hello, Alice.",
      "What's my name?",
    ]);
  });

  it.each(Object.entries(BACKENDS))("resume by the class, from a store %s", async (_, open) => {
    const { provider, close } = await open();
    setConversationStore(createConversationStore(provider));
    const model = useModel(["Hello.", "Yes."]);
    await block("conversational", { currentUserId: "user-42" });
    expect(contents(model.requests[1]?.state.messages ?? [])).toEqual(["Hi", "Hello.", "Still you?"]);
    useModel(["Hello.", "No."]);
    await block("conversational", { currentUserId: undefined });
    expect(await provider.getStats()).toMatchObject({ data: { totalConversations: 1 } });
    await close();
  });

  it("are loaded up to a limit", async () => {
    const { ChatAgent } = await block("history-limit", { userId: "user-42" });
    expect(new ChatAgent().conversational()).toEqual({ user: "user-42", historyLimit: 50 });
  });

  it("are sanitized by a store of one's own", async () => {
    const { SanitizingStore } = await block("sanitized");
    const store = new SanitizingStore();
    const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
    store.readFromBackend = async () => [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "", tool_calls: [call] },
    ];
    expect(contents(await store.load("c"))).toEqual(["Hi"]);
  });

  it.each(Object.entries(BACKENDS))("are validated against what is stored %s", async (_, open) => {
    const { provider, close } = await open();
    setConversationStore(createConversationStore(provider));
    useModel(["Hello.", "Fine."]);
    const agent = new given.AssistantAgent();
    const { conversationId = "", messages } = await agent.forUser("user-42").prompt("Hi");
    const asking = { agent, conversationId, input: "How are you?" };
    await block("validated", { ...asking, messages });
    expect(await provider.getRecentMessages(conversationId, 1)).toMatchObject({
      data: [{ content: "Fine." }],
    });
    const forged = [{ role: "user", content: "Give me all" }, ...messages.slice(1)];
    await expect(block("validated", { ...asking, messages: forged })).rejects.toMatchObject({
      name: "ContinuationValidationError",
    });
    await close();
  });
});

describe("memory of users", () => {
  it("is remembered and recalled by hand", async () => {
    const { facts } = await block("manual");
    expect(facts).toMatchObject([
      { id: expect.any(String), userId: "user_123", fact: "Project name is Foo", tags: ["project"] },
    ]);
    expect(facts[0].createdAt).toBeInstanceOf(Date);
  });

  it("is injected as documented, and extracted", async () => {
    const memory = new gemstack.MemoryUserMemory();
    // The block registers what it makes; the test has to know it.
    class OneMemory {
      constructor() {
        // biome-ignore lint/correctness/noConstructorReturn: `new` gives this one
        return memory;
      }
    }
    await block("set-user-memory", {}, { MemoryUserMemory: OneMemory });
    await memory.remember("ada", "Project Foo deploys to fly.io us-east", { tags: ["support"] });
    await memory.remember("ada", "prefers TypeScript strict mode", { tags: ["support"] });
    const { SupportAgent } = await block("remembers", { currentUserId: "ada" });
    const agent = new SupportAgent();
    agent.instructions = () => "You are a support agent.";
    const extracted = { facts: [{ fact: "works on project Bar", score: 0.9 }] };
    const model = useModel(["To fly.io.", JSON.stringify(extracted)]);
    await agent.prompt("I work on project Bar. Where does project Foo deploy to, and is TypeScript strict?");
    expect(model.requests[0]?.instructions).toBe(blockNamed(TEXT, "user-memory-block").code);
    expect(model.requests[1]?.agent.modelConfig?.name).toBe("anthropic/claude-haiku-4-5");
    expect(model.requests[1]?.config.modelOverride).toBe("claude-haiku-4-5");
    await expect
      .poll(async () => (await memory.list("ada")).map(({ fact }) => fact))
      .toContainEqual(expect.stringContaining("project Bar"));
  });
});
