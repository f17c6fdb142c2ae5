// The documented examples, line by line, so that code copied from them compiles and runs. Only imports differ.
import { expect, it } from "vitest";
import {
  createFailure,
  createInMemoryProvider,
  createMemoryStorageError,
  isMemoryConnectionError,
  isMemoryNotFoundError,
  isMemoryStorageError,
  type MemoryProvider,
  type Message,
  type Result,
} from "../src/index.ts";

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
  expect(await storeWithRetry("conv-123", [])).toEqual({ success: true, data: undefined });
  await provider.close();
  expect(await describeFailure("conv-123")).toBe("Connection failed: memory");
  expect(await storeWithRetry("conv-123", [])).toMatchObject({
    error: { message: expect.stringContaining("Retry exhausted") },
  });
});

it("evictions can be watched as documented", async () => {
  const provider = createInMemoryProvider({ type: "memory", maxConversations: 1 });
  const warnings: string[] = [];
  provider.on("conversation_evicted", (conversationId) => {
    warnings.push(`Conversation ${conversationId} evicted due to memory limits`);
  });
  await provider.storeMessages("conv-1", []);
  await provider.storeMessages("conv-2", []);
  expect(warnings).toEqual(["Conversation conv-1 evicted due to memory limits"]);
});
