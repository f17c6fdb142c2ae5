export type { AdapterVariable, MemoryAdapter, MemoryAdapterTypes } from "./adapter/adapter.ts";
export { registerMemoryAdapter } from "./adapter/registry.ts";
export type { BlobBackend, BlobEntry, BlobHold, ListedBlob, NewBlob } from "./blobs/blob-backend.ts";
export type { BlobStore } from "./blobs/blob-store.ts";
export type { SweepOptions, SweepReport } from "./blobs/garbage-collection.ts";
export { createInMemoryBlobStore } from "./blobs/in-memory.ts";
export type { MediaResolver, ResolveOptions } from "./blobs/media-resolver.ts";
export type { BlobErrorEvent, BlobOptions } from "./blobs/options.ts";
export type { BlobReference } from "./blobs/reference.ts";
export { type BlobMethods, withBlobs } from "./blobs/with-blobs.ts";
export type { CacheAdapter, CacheLifetime } from "./cache-adapter.ts";
export type { JsonObject } from "./codec/json.ts";
export { parseMessages } from "./codec/parse-messages.ts";
export type {
  ContentPart,
  KnownPart,
  MediaPart,
  OtherPart,
  ProviderToolCallPart,
  ProviderToolResultPart,
  ReasoningPart,
  RefusalPart,
  SourcePart,
  TextPart,
  ToolCallPart,
} from "./content-part.ts";
export type { ApprovalDecision, PendingApproval } from "./continuation/approval.ts";
export type { HistoryPosition } from "./continuation/history-token.ts";
export type { ContinuationMode, ContinuationOptions, HistoryTokens } from "./continuation/options.ts";
export {
  assertValidContinuation,
  ContinuationValidationError,
  validateContinuation,
} from "./continuation/validate-continuation.ts";
export type {
  ContinuationAcceptance,
  ContinuationRejection,
  ContinuationRejectionCode,
  ContinuationValidationResult,
} from "./continuation/validation-result.ts";
export {
  type Continuation,
  type ContinuationValidator,
  defaultContinuationValidator,
} from "./continuation/validator-hook.ts";
export { MemoryConversationStore } from "./conversation-store/in-memory-store.ts";
export { type ProviderOfOptions, providerOf } from "./conversation-store/provider-over-store.ts";
export type {
  AnyConversationStore,
  ConversationStore,
  ConversationStoreListEntry,
  ConversationStoreMeta,
  ProviderConversationStore,
} from "./conversation-store/store.ts";
export { ConversationStoreError } from "./conversation-store/store-error.ts";
export { conversationMetadata } from "./conversation-store/store-metadata.ts";
export {
  type ConversationStoreOptions,
  createConversationStore,
} from "./conversation-store/store-over-provider.ts";
export { type DiagnosisOptions, diagnoseMemoryProvider } from "./diagnostics/diagnose.ts";
export { type LatencyStats, MemoryPerformanceMonitor, monitorProvider } from "./diagnostics/monitor.ts";
export {
  type DiagnosisStep,
  type DiagnosisStepName,
  formatMemoryDiagnosis,
  type MemoryDiagnosis,
} from "./diagnostics/report.ts";
export { createMemoryProviderFromEnv } from "./environment/create.ts";
export {
  type EnvironmentReport,
  type EnvironmentVariable,
  formatEnvironmentReport,
  type VariableState,
} from "./environment/report.ts";
export { validateMemoryEnvironment } from "./environment/validate.ts";
export type { MemoryEnvironment } from "./environment/variables.ts";
export {
  createMemoryConnectionError,
  createMemoryNotFoundError,
  createMemoryStorageError,
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
export { createMemoryProvider, createSimpleMemoryProvider } from "./factory/create.ts";
export type {
  MemoryClient,
  MemoryClients,
  MemoryProviderConfig,
  MemoryProviderOf,
  MemorySettings,
  MemoryType,
} from "./factory/types.ts";
export type { RunId, TraceId } from "./ids.ts";
export type { InMemoryConfig } from "./in-memory/config.ts";
export { createInMemoryProvider, type InMemoryProvider } from "./in-memory/provider.ts";
export type {
  CustomToolCall,
  FunctionToolCall,
  Message,
  ModelOrigin,
  RichMessage,
  RichToolCall,
  ToolCall,
} from "./message.ts";
export type { PendingToolCalls } from "./messages/pending.ts";
export { sanitizeConversation } from "./messages/sanitizer.ts";
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
export type { ProviderMetadata } from "./provider-metadata.ts";
export type { ProviderReading } from "./read-from.ts";
export { withFallback } from "./resilience/fallback.ts";
export type { FallbackEvent, FallbackOptions, RetryEvent, RetryOptions } from "./resilience/options.ts";
export { withRetry } from "./resilience/retry.ts";
export { createFailure, createSuccess, isFailure, isSuccess, type Result } from "./result.ts";
export { MemorySetupError } from "./setup-error.ts";
export type { CalledTool } from "./tool-call.ts";
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
} from "./versioned-provider.ts";
export { type ChatMemory, createChatMemory } from "./window/chat-memory.ts";
export type { ChatMemoryConfig, ChatMemoryOptions } from "./window/config.ts";
export { type ConversationWindow, windowOf } from "./window/config.ts";
export { createGptTokenizer, type GptTokenizerOptions } from "./window/gpt-tokenizer.ts";
export type { MessageWindowOptions, TokenWindowOptions, WindowOptions } from "./window/options.ts";
export type { Tokenizer } from "./window/tokens.ts";
export type { Omission, OmissionReason, WindowPlan } from "./window/window.ts";
export type { WindowEnd, WindowTail } from "./window/window-tail.ts";
