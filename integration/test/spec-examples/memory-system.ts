// biome-ignore-all lint/correctness/noUnusedVariables: verbatim
// The examples of the text on the memory system, as they are, each in a function of its own, in the text's order.
// A mistake of the text's own is marked where it stands.
import {
  type Agent,
  type ConversationMemory,
  createFailure,
  createInMemoryProvider,
  createMemoryProvider,
  createMemoryProviderFromEnv,
  createMemoryStorageError,
  createPostgresProvider,
  createRedisProvider,
  createSimpleMemoryProvider,
  isMemoryConnectionError,
  isMemoryNotFoundError,
  isMemoryStorageError,
  type MemoryProvider,
  type Message,
  type ModelProvider,
  type Result,
  type RunConfig,
  runServer,
} from "functional-agent-framework";
import { Client, Pool } from "pg";
import { createClient } from "redis";

declare const provider: MemoryProvider;
declare const memoryProvider: MemoryProvider;
declare const agents: readonly Agent<object, string>[];
declare const modelProvider: ModelProvider<object>;
declare const connectedRedis: ReturnType<typeof createClient>;
declare const connectedPostgres: Client;
declare function archiveConversation(conversation: ConversationMemory): Promise<void>;

export function inMemory() {
  const provider = createInMemoryProvider({
    type: "memory",
    maxConversations: 1000, // Maximum conversations to keep
    maxMessagesPerConversation: 1000, // Maximum messages per conversation
  });
  provider.on("conversation_evicted", (conversationId) => {
    console.warn(`Conversation ${conversationId} evicted due to memory limits`);
  });
}

export async function redis() {
  // Create Redis client
  const redisClient = createClient({
    url: "redis://localhost:6379",
    password: "your-password", // if authentication is enabled
    database: 0,
  });
  await redisClient.connect();
  // Create memory provider
  const provider = await createRedisProvider(
    {
      type: "redis",
      host: "localhost",
      port: 6379,
      password: "your-password",
      db: 0,
      keyPrefix: "jaf:memory:",
      ttl: 7200, // 2 hours TTL (optional)
    },
    redisClient,
  );
}

export async function postgres() {
  // Create PostgreSQL client
  const postgresClient = new Client({
    host: "localhost",
    port: 5432,
    database: "jaf_memory",
    user: "postgres",
    password: "testpass",
    ssl: false,
  });
  await postgresClient.connect();
  // Create memory provider
  const provider = await createPostgresProvider(
    {
      type: "postgres",
      host: "localhost",
      port: 5432,
      database: "jaf_memory",
      username: "postgres",
      password: "testpass",
      ssl: false,
      tableName: "conversations",
      maxConnections: 10,
    },
    postgresClient,
  );
  // Cleanup old conversations
  const deletedCount = await provider.cleanupOldConversations(30); // 30 days
  // Get analytics
  const analytics = await provider.getAnalytics("user123");
}

export async function factories(redisClient = connectedRedis, postgresClient = connectedPostgres) {
  const provider = await createMemoryProvider(
    {
      type: "redis",
      host: "localhost",
      port: 6379,
      keyPrefix: "myapp:memory:",
    },
    {
      redis: redisClient, // Required for Redis
      // postgres: postgresClient // Required for PostgreSQL
    },
  );
  const fromEnv = await createMemoryProviderFromEnv({
    redis: redisClient, // Only needed if JAF_MEMORY_TYPE=redis
    postgres: postgresClient, // Only needed if JAF_MEMORY_TYPE=postgres
  });
  // In-memory
  const memoryProvider = await createSimpleMemoryProvider("memory");
  // Redis with defaults
  const redisProvider = await createSimpleMemoryProvider("redis", redisClient);
  // PostgreSQL with custom config
  const postgresProvider = await createSimpleMemoryProvider("postgres", postgresClient, {
    tableName: "custom_conversations",
    maxConnections: 20,
  });
}

export async function engine() {
  const server = await runServer(
    agents,
    {
      modelProvider,
      memory: {
        provider: memoryProvider,
        autoStore: true, // Automatically store conversation history
        maxMessages: 100, // Keep last 100 messages per conversation
        ttl: 3600, // TTL in seconds (provider-dependent)
        compressionThreshold: 50, // Compress conversations after 50 messages
      },
    },
    {
      port: 3000,
      defaultMemoryProvider: memoryProvider,
    },
  );
}

export async function basics() {
  // Store initial conversation
  const storeResult = await provider.storeMessages(
    "conv-123",
    [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi there!" },
    ],
    { userId: "user-456", traceId: "trace-789" },
  );
  if (!storeResult.success) {
    console.error("Failed to store:", storeResult.error);
    return;
  }
  // Retrieve conversation
  const getResult = await provider.getConversation("conv-123");
  if (getResult.success && getResult.data) {
    console.log(`Found ${getResult.data.messages.length} messages`);
    console.log(`Last activity: ${getResult.data.metadata?.lastActivity}`);
  }
  // Append new messages
  const appendResult = await provider.appendMessages(
    "conv-123",
    [{ role: "user", content: "How are you?" }],
    { traceId: "trace-790" },
  );
}

export async function search() {
  // Find conversations by user
  const userConversations = await provider.findConversations({
    userId: "user-456",
    limit: 10,
    offset: 0,
  });
  // Find conversations by date range
  const recentConversations = await provider.findConversations({
    since: new Date(Date.now() - 24 * 60 * 60 * 1000), // Last 24 hours
    limit: 20,
  });
  // Find conversations by trace ID
  const traceConversations = await provider.findConversations({
    traceId: "trace-789",
  });
}

export async function management() {
  // Get recent messages only
  const recentMessages = await provider.getRecentMessages("conv-123", 10);
  // Get conversation statistics
  const stats = await provider.getStats("user-456");
  if (stats.success) {
    console.log(`Total conversations: ${stats.data.totalConversations}`);
    console.log(`Total messages: ${stats.data.totalMessages}`);
    console.log(`Oldest conversation: ${stats.data.oldestConversation}`);
  }
  // Health check
  const health = await provider.healthCheck();
  if (health.success) {
    console.log(`Provider healthy: ${health.data.healthy}`);
    console.log(`Latency: ${health.data.latencyMs}ms`);
  }
  // Cleanup
  const deleted = await provider.deleteConversation("conv-123");
  const userDeleted = await provider.clearUserConversations("user-456");
}

export const runConfig: Partial<RunConfig<object>> = {
  memory: {
    provider: memoryProvider,
    autoStore: true,
    maxMessages: 100,
  },
  conversationId: "conv-123",
};

export async function errors() {
  const result = await provider.getConversation("conv-123");
  if (!result.success) {
    if (isMemoryConnectionError(result.error)) {
      console.error("Connection failed:", result.error.provider);
      // Retry logic or fallback to different provider
    } else if (isMemoryNotFoundError(result.error)) {
      console.log("Conversation not found, starting new conversation");
      // Initialize new conversation
    } else if (isMemoryStorageError(result.error)) {
      console.error("Storage operation failed:", result.error.operation);
      // Log error and potentially retry
    }
  }
}

// Retry with exponential backoff
export async function storeWithRetry(
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
      const delay = 2 ** attempt * 1000; // Exponential backoff
      await new Promise((resolve) => setTimeout(resolve, delay));
      continue;
    }
    // Non-retryable error
    return result;
  }
  return createFailure(createMemoryStorageError("store messages", "Retry exhausted"));
}

// Graceful degradation
export async function getConversationWithFallback(conversationId: string): Promise<Message[]> {
  const result = await provider.getConversation(conversationId);
  if (result.success && result.data) {
    // @ts-expect-error The text's own ConversationMemory has `readonly messages: readonly Message[]`.
    return result.data.messages;
  }
  console.warn("Failed to load conversation history, starting fresh");
  return [];
}

export async function optimized() {
  // The text uses the client before it declares it.
  const redisClient = createClient({
    // @ts-expect-error No option of node-redis, which has createCluster().
    cluster: {
      enableAutoPipelining: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 3,
    },
  });
  // Optimize for production workloads
  const redisProvider = await createRedisProvider(
    {
      type: "redis",
      host: "redis-cluster.internal",
      port: 6379,
      keyPrefix: "prod:jaf:memory:",
      ttl: 86400, // 24 hour TTL to prevent memory bloat
    },
    connectedRedis,
  );
  const provider = await createPostgresProvider(
    {
      type: "postgres",
      host: "postgres-primary.internal",
      port: 5432,
      database: "jaf_memory_prod",
      username: "jaf_user",
      ssl: true,
      tableName: "conversations",
      maxConnections: 20, // Connection pooling
    },
    connectedPostgres,
  );
  // Regular maintenance
  setInterval(
    async () => {
      // Cleanup conversations older than 90 days
      await provider.cleanupOldConversations(90);
    },
    24 * 60 * 60 * 1000,
  ); // Daily cleanup
}

export async function lifecycle(conversationId: string) {
  // Archive long conversations
  const conversation = await provider.getConversation(conversationId);
  // @ts-expect-error `data?.messages.length` may be undefined, which `>` doesn't take.
  if (conversation.success && conversation.data?.messages.length > 500) {
    // Archive to long-term storage and clear from active memory
    // @ts-expect-error For the compiler, which doesn't conclude from that comparison, there may be no conversation.
    await archiveConversation(conversation.data);
    await provider.deleteConversation(conversationId);
  }
}

// Efficient user cleanup
export async function cleanupUserData(userId: string): Promise<void> {
  const conversations = await provider.findConversations({ userId });
  if (conversations.success) {
    // Archive before deletion
    await Promise.all(conversations.data.map((conv) => archiveConversation(conv)));
    // Bulk delete
    await provider.clearUserConversations(userId);
  }
}

export function monitoring() {
  // Health monitoring
  setInterval(async () => {
    const health = await provider.healthCheck();
    if (health.success) {
      console.log(`Memory provider health: ${health.data.healthy}, latency: ${health.data.latencyMs}ms`);
      // Alert on high latency
      if (health.data.latencyMs && health.data.latencyMs > 1000) {
        console.warn("High memory provider latency detected");
      }
    } else {
      console.error("Memory provider health check failed");
    }
  }, 30000); // Every 30 seconds
  // Usage statistics
  setInterval(async () => {
    const stats = await provider.getStats();
    if (stats.success) {
      console.log(
        `Memory usage: ${stats.data.totalConversations} conversations, ${stats.data.totalMessages} messages`,
      );
    }
  }, 300000); // Every 5 minutes
}

export function troubleshooting() {
  const redisClient = createClient({
    url: "redis://localhost:6379",
    password: process.env.REDIS_PASSWORD,
    // @ts-expect-error An option of node-redis 3, which has no promises.
    retry_unfulfilled_commands: true,
    socket: {
      reconnectStrategy: (retries) => Math.min(retries * 50, 1000),
    },
  });
  const pool = new Pool({
    host: "localhost",
    port: 5432,
    database: "jaf_memory",
    user: "postgres",
    password: "testpass",
    max: 20, // Maximum connections
    idleTimeoutMillis: 30000,
    connectionTimeoutMillis: 2000,
  });
  pool.on("error", (err) => {
    console.error("Unexpected error on idle client", err);
  });
}

export async function diagnoseMemoryProvider(provider: MemoryProvider): Promise<void> {
  console.log("=== Memory Provider Diagnostics ===");
  // Health check
  const health = await provider.healthCheck();
  console.log("Health:", health);
  // Statistics
  const stats = await provider.getStats();
  console.log("Stats:", stats);
  // Test basic operations
  const testId = `test-${Date.now()}`;
  try {
    // Test store
    const storeResult = await provider.storeMessages(testId, [{ role: "user", content: "test message" }]);
    console.log("Store test:", storeResult.success ? "✅" : "❌", storeResult);
    // Test retrieve
    const getResult = await provider.getConversation(testId);
    console.log("Get test:", getResult.success ? "✅" : "❌", getResult);
    // Test append
    const appendResult = await provider.appendMessages(testId, [
      { role: "assistant", content: "test response" },
    ]);
    console.log("Append test:", appendResult.success ? "✅" : "❌", appendResult);
    // Cleanup
    await provider.deleteConversation(testId);
  } catch (error) {
    console.error("Diagnostic error:", error);
  }
}
