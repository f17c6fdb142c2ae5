/** What blocks of the text on the memory system use and don't declare: from the prose, or from another block. */
import type { Agent, ModelProvider, RunState } from "@jaf/core";
import type { ConversationMemory, MemoryProvider } from "@jaf/memory";
import type { PostgresProvider } from "@jaf/memory-postgres";
import type { Client } from "pg";
import type { createClient } from "redis";

export { type RunConfig, run } from "@jaf/core";
export {
  type ConversationMemory,
  createFailure,
  createInMemoryProvider,
  createMemoryStorageError,
  type HealthStatus,
  isMemoryConnectionError,
  isMemoryNotFoundError,
  isMemoryStorageError,
  type MemoryErrorUnion,
  type MemoryProvider,
  type MemoryQuery,
  type MemoryStats,
  type Message,
  type Result,
  type TraceId,
} from "@jaf/memory";
export { createPostgresProvider } from "@jaf/memory-postgres";
export { createRedisProvider } from "@jaf/memory-redis";
export { createClient } from "redis";
export { type Assignable, assertType, type Same } from "./same.ts";

/** Of whichever backend; the analytics are Postgres's own. */
export declare const provider: PostgresProvider;
export declare const memoryProvider: MemoryProvider;
export declare const redisClient: ReturnType<typeof createClient>;
export declare const postgresClient: Client;
export declare const agents: readonly Agent<object, string>[];
export declare const modelProvider: ModelProvider<object>;
export declare const initialState: RunState<object>;
export declare function archiveConversation(conversation: ConversationMemory): Promise<void>;
