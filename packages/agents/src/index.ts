export type {
  AgentClient,
  CacheAdapter,
  CacheableConfig,
  PromptInput,
  PromptOptions,
  PromptResult,
  PromptStream,
} from "@jaf/core";
export { setConversationStore } from "@jaf/core";
export { GoogleCacheRegistry } from "@jaf/google";
export {
  assertValidContinuation,
  type ContinuationRejectionCode,
  ContinuationValidationError,
  type ConversationStore,
  type ConversationStoreListEntry,
  type ConversationStoreMeta,
  defaultContinuationValidator,
  MemoryConversationStore,
  type Message as AiMessage,
  sanitizeConversation,
  validateContinuation,
} from "@jaf/memory";
export {
  type MemoryEntry,
  type MemoryExtractOptions,
  MemoryUserMemory,
  setUserMemory,
  type UserMemory,
  withMemoryExtract,
  withMemoryInject,
} from "@jaf/user-memory";
export { Agent, type AgentConfig } from "./agent.ts";
export { type AiProvider, AiRegistry } from "./ai-registry.ts";
export { AnthropicProvider, GoogleProvider, OpenAIProvider, OpenAIResponsesProvider } from "./providers.ts";
