export type { AdapterVariable, MemoryAdapter, MemoryAdapterTypes } from "./adapter/adapter.ts";
export {
  type ConversationPosition,
  type ConversationQuery,
  type ConversationWrite,
  type EncodedMessage,
  IDEMPOTENCY_WINDOW,
  type MemoryBackend,
  type StoredConversation,
  type StoredMessage,
  type WriteOutcome,
} from "./backend/backend.ts";
export { conversationCursor } from "./backend/cursor.ts";
export { defineMemoryProvider } from "./backend/define-provider.ts";
export { decodeMessage } from "./codec/decode.ts";
export { idIssue, MAX_ID_LENGTH } from "./codec/ids.ts";
export type { JsonObject, JsonValue } from "./codec/json.ts";
export { parseMessages } from "./codec/parse-messages.ts";
export {
  createMemoryConflictError,
  createMemoryConnectionError,
  createMemoryNotFoundError,
  createMemoryStorageError,
  createMemoryValidationError,
  describeCause,
  type ErrorCause,
  isMemoryConflictError,
  isMemoryConnectionError,
  isMemoryNotFoundError,
  isMemoryStorageError,
  isMemoryValidationError,
  type MemoryConflictError,
  type MemoryConflictReason,
  type MemoryConnectionError,
  type MemoryErrorDetails,
  type MemoryErrorUnion,
  type MemoryIssue,
  type MemoryNotFoundError,
  type MemoryStorageError,
  type MemoryValidationError,
} from "./errors.ts";
export { type PendingToolCalls, pendingToolCalls } from "./history/pending.ts";
export { isReplayable, sanitizeConversation } from "./history/sanitizer.ts";
export {
  createRunId,
  createTraceId,
  generateRunId,
  generateTraceId,
  type RunId,
  type TraceId,
} from "./ids.ts";
export { type InMemoryConfig, inMemoryConfigSchema } from "./in-memory/config.ts";
export { createInMemoryProvider, type InMemoryProvider } from "./in-memory/provider.ts";
export { type ContentPart, type Message, messageText, type RichMessage, type ToolCall } from "./message.ts";
export type {
  ConversationMemory,
  ConversationMetadata,
  HealthStatus,
  MemoryProvider,
  MemoryQuery,
  MemoryStats,
  WriteMetadata,
  WriteOptions,
} from "./provider.ts";
export { createFailure, createSuccess, isFailure, isSuccess, type Result } from "./result.ts";
export { MemorySetupError } from "./setup-error.ts";
