// The documented examples, line by line, to check that copied code compiles and runs. Only imports differ.
import { expect, it, vi } from "vitest";
import {
  type ConversationMemory,
  createFailure,
  createInMemoryProvider,
  createMemoryProvider,
  createMemoryProviderFromEnv,
  createMemoryStorageError,
  createSimpleMemoryProvider,
  diagnoseMemoryProvider,
  isMemoryConnectionError,
  isMemoryNotFoundError,
  isMemoryStorageError,
  MemoryPerformanceMonitor,
  type MemoryProvider,
  type Message,
  type Result,
  registerMemoryAdapter,
  validateMemoryEnvironment,
} from "../src/index.ts";
import { notesAdapter } from "./config/notes-adapter.ts";

const open = () =>
  createInMemoryProvider({
    type: "memory",
    maxConversations: 1000,
    maxMessagesPerConversation: 1000,
  });

it("basic conversation management works as documented", async () => {
  const provider = open();
  const storeResult = await provider.storeMessages(
    "conv-123",
    [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi there!" },
    ],
    { userId: "user-456", traceId: "trace-789" },
  );
  if (!storeResult.success) {
    return expect.fail(`Failed to store: ${storeResult.error}`);
  }
  const getResult = await provider.getConversation("conv-123");
  if (getResult.success && getResult.data) {
    expect(`Found ${getResult.data.messages.length} messages`).toBe("Found 2 messages");
    expect(getResult.data.metadata?.lastActivity).toBeInstanceOf(Date);
  }
  const appendResult = await provider.appendMessages(
    "conv-123",
    [{ role: "user", content: "How are you?" }],
    {
      traceId: "trace-790",
    },
  );
  expect(appendResult.success).toBe(true);
});

it("search and management work as documented", async () => {
  const provider = open();
  await provider.storeMessages("conv-123", [{ role: "user", content: "Hello" }], {
    userId: "user-456",
    traceId: "trace-789",
  });
  const userConversations = await provider.findConversations({ userId: "user-456", limit: 10, offset: 0 });
  const recentConversations = await provider.findConversations({
    since: new Date(Date.now() - 24 * 60 * 60 * 1000),
    limit: 20,
  });
  const traceConversations = await provider.findConversations({ traceId: "trace-789" });
  for (const found of [userConversations, recentConversations, traceConversations]) {
    expect(found.success && found.data.length).toBe(1);
  }
  const recentMessages = await provider.getRecentMessages("conv-123", 10);
  expect(recentMessages.success && recentMessages.data.length).toBe(1);
  const stats = await provider.getStats("user-456");
  if (stats.success) {
    expect(stats.data).toMatchObject({ totalConversations: 1, totalMessages: 1 });
    expect(stats.data.oldestConversation).toBeInstanceOf(Date);
  }
  const health = await provider.healthCheck();
  if (health.success) {
    expect(health.data.healthy).toBe(true);
    expect(health.data.latencyMs && health.data.latencyMs > 1000).toBeFalsy();
  }
  expect(await provider.deleteConversation("conv-123")).toEqual({ success: true, data: true });
  expect(await provider.clearUserConversations("user-456")).toEqual({ success: true, data: 0 });
});

it("error handling and retries compile and run as documented", async () => {
  const provider: MemoryProvider = open();
  const describeFailure = async (conversationId: string): Promise<string> => {
    const result = await provider.getConversation(conversationId);
    if (!result.success) {
      if (isMemoryConnectionError(result.error)) {
        return `Connection failed: ${result.error.provider}`;
      } else if (isMemoryNotFoundError(result.error)) {
        return "Conversation not found, starting new conversation";
      } else if (isMemoryStorageError(result.error)) {
        return `Storage operation failed: ${result.error.operation}`;
      }
      return result.error.message;
    }
    return "fine";
  };
  async function storeWithRetry(
    conversationId: string,
    messages: Message[],
    maxRetries = 3,
  ): Promise<Result<void>> {
    for (let attempt = 1; attempt <= maxRetries; attempt++) {
      const result = await provider.storeMessages(conversationId, messages);
      if (result.success) {
        return result;
      }
      if (isMemoryConnectionError(result.error)) {
        continue;
      }
      return result;
    }
    return createFailure(createMemoryStorageError("store messages", "Retry exhausted"));
  }
  expect(await describeFailure("conv-123")).toBe("fine");
  expect(await storeWithRetry("conv-123", [])).toMatchObject({ success: true, data: undefined });
  await provider.close();
  expect(await describeFailure("conv-123")).toBe("Connection failed: memory");
  expect(await storeWithRetry("conv-123", [])).toMatchObject({
    error: { message: expect.stringContaining("Retry exhausted") },
  });
});

it("evictions can be observed as documented", async () => {
  const provider = createInMemoryProvider({ type: "memory", maxConversations: 1 });
  const warnings: string[] = [];
  provider.on("conversation_evicted", (conversationId) => {
    warnings.push(`Conversation ${conversationId} evicted due to memory limits`);
  });
  await provider.storeMessages("conv-1", []);
  await provider.storeMessages("conv-2", []);
  expect(warnings).toEqual(["Conversation conv-1 evicted due to memory limits"]);
});

it("factories work as documented, with the client of a backend", async () => {
  const unregister = registerMemoryAdapter(notesAdapter());
  const notesClient = { name: "mine" };
  const providers = [
    await createMemoryProvider({ type: "notes", folder: "abc", port: 6379 }, { notes: notesClient }),
    await createMemoryProviderFromEnv({ notes: notesClient }),
    await createSimpleMemoryProvider("memory"),
    await createSimpleMemoryProvider("notes", notesClient, { folder: "abc" }),
  ];
  for (const provider of providers) expect((await provider.healthCheck()).success).toBe(true);
  unregister();
});

it("a history that can't be loaded degrades to an empty one as documented", async () => {
  const provider: MemoryProvider = open();
  async function getConversationWithFallback(conversationId: string): Promise<readonly Message[]> {
    const result = await provider.getConversation(conversationId);
    if (result.success && result.data) {
      return result.data.messages;
    }
    return [];
  }
  await provider.storeMessages("conv-123", [{ role: "user", content: "Hello" }]);
  expect(await getConversationWithFallback("conv-123")).toHaveLength(1);
  await provider.close();
  expect(await getConversationWithFallback("conv-123")).toEqual([]);
});

it("long conversations can be archived, and a user's data cleaned up, as documented", async () => {
  const provider: MemoryProvider = open();
  const archive = new Map<string, ConversationMemory>();
  async function archiveConversation(conversation: ConversationMemory): Promise<void> {
    archive.set(conversation.conversationId, conversation);
  }
  const conversationId = `conv-${Date.now()}-${Math.random().toString(36).substr(2, 9)}`;
  await provider.storeMessages(
    conversationId,
    Array.from({ length: 501 }, () => ({ role: "user", content: "Hello" })),
  );
  const conversation = await provider.getConversation(conversationId);
  if (conversation.success && conversation.data && conversation.data.messages.length > 500) {
    await archiveConversation(conversation.data);
    await provider.deleteConversation(conversationId);
  }
  expect(archive.get(conversationId)?.messages).toHaveLength(501);
  expect(await provider.getConversation(conversationId)).toEqual({ success: true, data: null });

  async function cleanupUserData(userId: string): Promise<void> {
    const conversations = await provider.findConversations({ userId });
    if (conversations.success) {
      await Promise.all(conversations.data.map((conv) => archiveConversation(conv)));
      await provider.clearUserConversations(userId);
    }
  }
  for (const id of ["a", "b"]) await provider.storeMessages(id, [], { userId: "user-456" });
  await provider.storeMessages("c", [], { userId: "user-789" });
  await cleanupUserData("user-456");
  expect([...archive.keys()].slice(1).sort()).toEqual(["a", "b"]);
  const stats = await provider.getStats();
  expect(stats.success && stats.data.totalConversations).toBe(1);
});

it("health and usage can be monitored at intervals as documented", async () => {
  vi.useFakeTimers();
  try {
    const provider: MemoryProvider = open();
    const lines: string[] = [];
    const timer = setInterval(async () => {
      const health = await provider.healthCheck();
      if (health.success) {
        lines.push(`Memory provider health: ${health.data.healthy}, latency: ${health.data.latencyMs}ms`);
        if (health.data.latencyMs && health.data.latencyMs > 1000) {
          lines.push("High memory provider latency detected");
        }
      } else {
        lines.push("Memory provider health check failed");
      }
      const stats = await provider.getStats();
      if (stats.success) {
        lines.push(
          `Memory usage: ${stats.data.totalConversations} conversations, ${stats.data.totalMessages} messages`,
        );
      }
    }, 30000);
    await vi.advanceTimersByTimeAsync(30_000);
    await provider.close();
    await vi.advanceTimersByTimeAsync(30_000);
    clearInterval(timer);
    expect(lines).toEqual([
      expect.stringMatching(/^Memory provider health: true, latency: [\d.e-]+ms$/),
      "Memory usage: 0 conversations, 0 messages",
      "Memory provider health check failed",
    ]);
  } finally {
    vi.useRealTimers();
  }
});

it("diagnostics, the environment and latencies can be checked as documented", async () => {
  const provider: MemoryProvider = open();
  await diagnoseMemoryProvider(provider);
  await validateMemoryEnvironment();
  const monitor = new MemoryPerformanceMonitor();
  const result = await monitor.measureOperation("getConversation", async () => {
    return provider.getConversation("conv-123");
  });
  expect(result).toEqual({ success: true, data: null });
  const { avg, max, min, count } = monitor.getStats("getConversation") ?? expect.fail("was not measured");
  expect(count).toBe(1);
  expect([max, min]).toEqual([avg, avg]);
});
