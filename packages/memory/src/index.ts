export type { BlobBackend, BlobEntry, BlobHold, BlobStore, ListedBlob, NewBlob } from "./blobs/blob-store.ts";
export type { SweepOptions, SweepReport } from "./blobs/garbage-collection.ts";
export { createInMemoryBlobStore } from "./blobs/in-memory.ts";
export type { MediaResolver, ResolveOptions } from "./blobs/media-resolver.ts";
export type { BlobErrorEvent } from "./blobs/media-writer.ts";
export type { BlobOptions } from "./blobs/with-blobs.ts";
export { type BlobMethods, withBlobs } from "./blobs/with-blobs.ts";
export { type ChatMemory, createChatMemory } from "./chat-memory/chat-memory.ts";
export type { ChatMemoryConfig, ChatMemoryOptions } from "./chat-memory/config.ts";
export { type ConversationWindow, windowOf } from "./chat-memory/config.ts";
export { createGptTokenizer, type GptTokenizerOptions } from "./chat-memory/gpt-tokenizer.ts";
export { parseMessages } from "./codec/messages.ts";
export type { AdapterVariable, MemoryAdapter, MemoryAdapterTypes } from "./config/adapter.ts";
export {
  type DiagnosisOptions,
  type DiagnosisStep,
  type DiagnosisStepName,
  diagnoseMemoryProvider,
  formatMemoryDiagnosis,
  type MemoryDiagnosis,
} from "./config/diagnose.ts";
export { registerMemoryAdapter } from "./config/discovery.ts";
export type { MemoryEnvironment } from "./config/environment.ts";
export {
  createMemoryProviderFromEnv,
  type EnvironmentReport,
  type EnvironmentVariable,
  formatEnvironmentReport,
  type VariableState,
  validateMemoryEnvironment,
} from "./config/environment.ts";
export type {
  MemoryClient,
  MemoryClients,
  MemoryProviderConfig,
  MemoryProviderOf,
  MemorySettings,
  MemoryType,
} from "./config/factory.ts";
export { createMemoryProvider, createSimpleMemoryProvider } from "./config/factory.ts";
export type { JsonObject } from "./contract/backend.ts";
export type { CacheAdapter, CacheLifetime } from "./contract/cache-adapter.ts";
export {
  createFailure,
  createMemoryConnectionError,
  createMemoryNotFoundError,
  createMemoryStorageError,
  createSuccess,
  type ErrorCause,
  isFailure,
  isMemoryConflictError,
  isMemoryConnectionError,
  isMemoryNotFoundError,
  isMemoryStorageError,
  isMemoryValidationError,
  isSuccess,
  type MemoryConflictError,
  type MemoryConflictReason,
  type MemoryConnectionError,
  type MemoryErrorDetails,
  type MemoryErrorUnion,
  type MemoryIssue,
  type MemoryNotFoundError,
  MemorySetupError,
  type MemoryStorageError,
  type MemoryValidationError,
  type Result,
} from "./contract/errors.ts";
export type { RunId, TraceId } from "./contract/ids.ts";
export type {
  BlobReference,
  ContentPart,
  CustomToolCall,
  FunctionToolCall,
  KnownPart,
  MediaPart,
  Message,
  ModelOrigin,
  OtherPart,
  ProviderMetadata,
  ProviderToolCallPart,
  ProviderToolResultPart,
  ReasoningPart,
  RefusalPart,
  RichMessage,
  RichToolCall,
  SourcePart,
  TextPart,
  ToolCall,
  ToolCallPart,
} from "./contract/message.ts";
export type {
  ConversationMemory,
  ConversationMetadata,
  HealthStatus,
  MemoryProvider,
  MemoryQuery,
  MemoryStats,
  WriteMetadata,
  WriteOptions,
} from "./contract/provider.ts";
export type {
  ConversationReading,
  ConversationRecord,
  ConversationVerification,
  MessageRange,
  MessageSelection,
  ReadOptions,
  VersionedMemoryProvider,
  WriteReceipt,
  WriteResult,
} from "./contract/versioned-provider.ts";
export { type ProviderOfOptions, providerOf } from "./conversation-store/provider-over-store.ts";
export type {
  AnyConversationStore,
  ConversationStore,
  ConversationStoreListEntry,
  ConversationStoreMeta,
  ProviderConversationStore,
} from "./conversation-store/store.ts";
export { ConversationStoreError } from "./conversation-store/store.ts";
export {
  type ConversationStoreOptions,
  conversationMetadata,
  createConversationStore,
  MemoryConversationStore,
} from "./conversation-store/store-over-provider.ts";
export type { ApprovalDecision, PendingApproval } from "./history/continuation/approval.ts";
export type {
  ContinuationMode,
  ContinuationOptions,
  HistoryTokens,
} from "./history/continuation/continuation-options.ts";
export type { HistoryPosition } from "./history/continuation/validate-continuation.ts";
export {
  assertValidContinuation,
  type Continuation,
  ContinuationValidationError,
  type ContinuationValidator,
  defaultContinuationValidator,
  validateContinuation,
} from "./history/continuation/validate-continuation.ts";
export type {
  ContinuationAcceptance,
  ContinuationRejection,
  ContinuationRejectionCode,
  ContinuationValidationResult,
} from "./history/continuation/validation-result.ts";
export { sanitizeConversation } from "./history/messages/sanitizer.ts";
export type { CalledTool, PendingToolCalls } from "./history/messages/tool-calls.ts";
export type { Tokenizer } from "./history/window/tokens.ts";
export type { Omission, OmissionReason, WindowPlan } from "./history/window/window.ts";
export type {
  MessageWindowOptions,
  TokenWindowOptions,
  WindowOptions,
} from "./history/window/window-options.ts";
export type { WindowEnd, WindowTail } from "./history/window/window-tail.ts";
export type { InMemoryConfig } from "./in-memory/provider.ts";
export { createInMemoryProvider, type InMemoryProvider } from "./in-memory/provider.ts";
export type {
  AppendedEvents,
  BegunTurn,
  EventPage,
  EventQuery,
  LoggedTurn,
  NewTurn,
  TakenOverTurn,
  TurnEnding,
  TurnLog,
  TurnQuery,
  TurnState,
  TurnWriter,
  WriterAnswer,
} from "./turn-log/turn-log.ts";
export type { FallbackEvent, FallbackOptions } from "./wrappers/fallback.ts";
export { withFallback } from "./wrappers/fallback.ts";
export { type LatencyStats, MemoryPerformanceMonitor, monitorProvider } from "./wrappers/monitor.ts";
export type { ProviderReading } from "./wrappers/read-from.ts";
export type { RetryEvent, RetryOptions } from "./wrappers/retry.ts";
export { withRetry } from "./wrappers/retry.ts";
