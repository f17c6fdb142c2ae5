import type { RunConfig } from "@jaf/core";
import { createRunState, run } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import type { MemoryProvider } from "@jaf/memory";
import * as memory from "@jaf/memory";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BACKENDS, type Store } from "./backends.ts";
import { runBlock } from "./run.ts";
import { spyConsole, spyTimers } from "./spies.ts";

const TEXT = "1-jaf-memory-system";
const modules = { "functional-agent-framework": memory };

/** What is stored under the text's id. */
const storedIn = async (provider: MemoryProvider, id: string) => {
  const read = await provider.getConversation(id);
  return read.success ? read.data?.messages.map(({ content }) => content) : read.error;
};

const lost = memory.createFailure(memory.createMemoryConnectionError("redis", "The server is gone."));

describe.each(Object.entries(BACKENDS))("the memory system's blocks on %s", (_, open) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  /** On the backend under test, whatever else is given. */
  const onStore = (name: string, given: object = {}, globals: object = {}) =>
    runBlock(TEXT, name, {
      given: { ...memory, provider: store.provider, memoryProvider: store.provider, ...given },
      modules,
      globals: { console: spyConsole(), ...globals },
    });

  it("manages, finds and deletes a conversation", async () => {
    const { provider } = store;
    const console = spyConsole();
    expect(await onStore("basics", {}, { console })).toMatchObject({
      storeResult: { success: true },
      getResult: { success: true, data: { conversationId: "conv-123", userId: "user-456" } },
      appendResult: { success: true },
    });
    expect(console.lines()).toEqual(["Found 2 messages", expect.stringMatching(/^Last activity: \w/)]);
    expect(await storedIn(provider, "conv-123")).toEqual(["Hello", "Hi there!", "How are you?"]);

    const one = { success: true, data: [{ conversationId: "conv-123" }] };
    expect(await onStore("search")).toMatchObject({
      userConversations: one,
      recentConversations: one,
      traceConversations: one,
    });

    console.clear();
    expect(await onStore("management", {}, { console })).toMatchObject({
      recentMessages: { success: true, data: { length: 3 } },
      stats: { success: true, data: { totalConversations: 1, totalMessages: 3 } },
      health: { success: true, data: { healthy: true } },
      deleted: { success: true, data: true },
      userDeleted: { success: true, data: 0 },
    });
    expect(console.lines()).toEqual([
      "Total conversations: 1",
      "Total messages: 3",
      expect.stringMatching(/^Oldest conversation: \w/),
      "Provider healthy: true",
      expect.stringMatching(/^Latency: [\d.]+ms$/),
    ]);
    expect(await storedIn(provider, "conv-123")).toBeUndefined();
  });

  it.each(["auto-store", "limits"])(
    "a run with the configuration %s loads and stores the conversation",
    async (name) => {
      const { runConfig, config } = await onStore(name);
      const settings: Pick<RunConfig<object>, "memory" | "conversationId"> = {
        conversationId: "conv-123",
        ...(runConfig ?? config),
      };
      for (const [said, answer] of [
        ["My name is Alice.", "Hello."],
        ["What's my name?", "Alice."],
      ]) {
        const model = createScriptedModel([answer ?? ""]);
        const state = createRunState({
          agentName: "helper",
          context: {},
          messages: [{ role: "user", content: said ?? "" }],
        });
        const agentRegistry = new Map([["helper", { name: "helper", instructions: "" }]]);
        expect(await run(state, { agentRegistry, modelProvider: model, ...settings })).toMatchObject({
          outcome: { status: "completed" },
        });
      }
      expect(await storedIn(store.provider, "conv-123")).toEqual([
        "My name is Alice.",
        "Hello.",
        "What's my name?",
        "Alice.",
      ]);
    },
  );

  it("starts, reads and archives a long conversation", async () => {
    const archiveConversation = vi.fn();
    const initialState = createRunState({
      agentName: "helper",
      context: {},
      messages: Array.from({ length: 501 }, (_, index) => ({ role: "user" as const, content: `${index}` })),
    });
    const { conversationId, result } = await onStore("lifecycle", {
      archiveConversation,
      initialState,
      run: (state: typeof initialState, config: Partial<RunConfig<object>>) =>
        run(state, {
          agentRegistry: new Map([["helper", { name: "helper", instructions: "" }]]),
          modelProvider: createScriptedModel(["Done."]),
          ...config,
        }),
    });
    expect(result).toMatchObject({ outcome: { status: "completed", output: "Done." } });
    expect(archiveConversation).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ conversationId }));
    expect(await storedIn(store.provider, conversationId)).toBeUndefined();
  });

  it("says which error it is", async () => {
    const console = spyConsole();
    const failWith = async (error: memory.MemoryErrorUnion) => {
      const provider = { ...store.provider, getConversation: async () => memory.createFailure(error) };
      await onStore("errors", { provider }, { console });
    };
    await onStore("errors", {}, { console });
    await failWith(lost.error);
    await failWith(memory.createMemoryNotFoundError("conv-123"));
    await failWith(memory.createMemoryStorageError("getConversation", "The disk is full."));
    expect(console.lines()).toEqual([
      "Connection failed: redis",
      "Conversation not found, starting new conversation",
      "Storage operation failed: getConversation",
    ]);
  });

  it("recovers", async () => {
    const { provider } = store;
    const timers = spyTimers();
    const storeMessages = vi.fn(provider.storeMessages).mockResolvedValueOnce(lost);
    const { storeWithRetry, getConversationWithFallback } = await onStore(
      "recovery",
      { provider: { ...provider, storeMessages } },
      timers,
    );
    expect(await storeWithRetry("conv-123", [{ role: "user", content: "Hello" }])).toMatchObject({
      success: true,
    });
    expect(timers.delays).toEqual([2000]);
    expect(await getConversationWithFallback("conv-123")).toMatchObject([{ content: "Hello" }]);
    expect(await getConversationWithFallback("none")).toEqual([]);
    storeMessages.mockResolvedValue(lost);
    expect(await storeWithRetry("conv-123", [])).toMatchObject({
      success: false,
      error: { _tag: "MemoryStorageError", operation: "store messages" },
    });
  });

  it("cleans up all data of a user", async () => {
    const archiveConversation = vi.fn();
    const { cleanupUserData } = await onStore("batch", { archiveConversation });
    for (const [id, userId] of [
      ["a", "ada"],
      ["b", "ada"],
      ["c", "bob"],
    ] as const)
      await store.provider.storeMessages(id, [{ role: "user", content: id }], { userId });
    await cleanupUserData("ada");
    expect(archiveConversation).toHaveBeenCalledTimes(2);
    expect(await storedIn(store.provider, "a")).toBeUndefined();
    expect(await storedIn(store.provider, "c")).toEqual(["c"]);
  });

  it("is watched, diagnosed and measured", async () => {
    const console = spyConsole();
    const timers = spyTimers();
    await onStore("monitoring", {}, { console, ...timers });
    await timers.tick();
    expect(timers.delays).toEqual([30_000, 300_000]);
    expect(console.lines()).toEqual([
      expect.stringMatching(/^Memory provider health: true, latency: [\d.]+ms$/),
      "Memory usage: 0 conversations, 0 messages",
    ]);

    console.clear();
    const { diagnoseMemoryProvider } = await onStore("diagnose", {}, { console });
    await diagnoseMemoryProvider(store.provider);
    expect(console.lines().filter((line) => /✅|❌/.test(line))).toEqual([
      expect.stringMatching(/^Store test: ✅/),
      expect.stringMatching(/^Get test: ✅/),
      expect.stringMatching(/^Append test: ✅/),
    ]);
    expect(await store.provider.getStats()).toMatchObject({ data: { totalConversations: 0 } });

    const { monitor, result } = await onStore("performance-monitor");
    expect(result).toMatchObject({ success: true, data: null });
    expect(monitor.getStats("getConversation")).toMatchObject({ count: 1, avg: expect.any(Number) });
  });
});
