// What applications call: messages, errors and providers.

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
  TextRange,
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
  ParentConversation,
  WriteMetadata,
  WriteOptions,
} from "./contract/provider.ts";
export { MemoryCallError } from "./contract/unwrap.ts";
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

// Parsing of untrusted input.

export { parseMessages } from "./codec/messages.ts";

// Pure functions over a conversation.

export type { ApprovalDecision, PendingApproval } from "./history/continuation/approval.ts";
export type {
  ContinuationMode,
  ContinuationOptions,
  HistoryTokens,
} from "./history/continuation/continuation-options.ts";
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
export type { Tokenizer } from "./history/window/tokens.ts";

// The in-memory provider.

export { createInMemoryProvider, type InMemoryConfig, type InMemoryProvider } from "./in-memory/provider.ts";

// The log of turns, for servers.

export type { TurnLog } from "./turn-log/turn-log.ts";

// The inbox of a conversation, for what comes in while a run is under way.

export { createInMemoryInbox, type InMemoryInboxOptions } from "./inbox/in-memory.ts";
export type { Inbox, InboxEntry, NewInboxEntry, PutEntry } from "./inbox/inbox.ts";

// Timers of conversations, for reminders and schedules.

export { createInMemoryTimers, type InMemoryTimersOptions } from "./timers/in-memory.ts";
export type { Timer, TimerName, Timers } from "./timers/timers.ts";

// The port of a queue that hands turns to workers.

export type { TurnPointer, TurnQueue } from "./turn-queue/turn-queue.ts";

// The ledger of what model calls use and cost.

export { createInMemoryLedger, type InMemoryLedgerOptions } from "./ledger/in-memory.ts";
export type {
  CacheMiss,
  Ledger,
  LedgerAmounts,
  LedgerEntry,
  LedgerGroup,
  LedgerQuery,
  LedgerRow,
  LedgerScope,
  LedgerStore,
} from "./ledger/ledger.ts";

// Wrappers around a provider.

export { type FallbackEvent, type FallbackOptions, withFallback } from "./wrappers/fallback.ts";
export { type LatencyStats, MemoryPerformanceMonitor, monitorProvider } from "./wrappers/monitor.ts";
export { type RetryEvent, type RetryOptions, withRetry } from "./wrappers/retry.ts";

// The bytes of large media.

export type { BlobStore } from "./blobs/blob-store.ts";
export type { SweepOptions, SweepReport } from "./blobs/garbage-collection.ts";
export { createInMemoryBlobStore } from "./blobs/in-memory.ts";
export { isMediaResolver, type MediaResolver, type ResolveOptions } from "./blobs/media-resolver.ts";
export type { BlobErrorEvent } from "./blobs/media-writer.ts";
export { type BlobMethods, type BlobOptions, withBlobs } from "./blobs/with-blobs.ts";

// Conversation stores.

export { type ProviderOfOptions, providerOf } from "./conversation-store/provider-over-store.ts";
export {
  type AnyConversationStore,
  type ConversationStore,
  ConversationStoreError,
  type ConversationStoreListEntry,
  type ConversationStoreMeta,
  type ProviderConversationStore,
} from "./conversation-store/store.ts";
export {
  type ConversationStoreOptions,
  conversationMetadata,
  createConversationStore,
  MemoryConversationStore,
} from "./conversation-store/store-over-provider.ts";

// The window of a conversation that a model sees.

export { type ChatMemory, createChatMemory } from "./chat-memory/chat-memory.ts";
export {
  type ChatMemoryConfig,
  type ChatMemoryOptions,
  type ConversationWindow,
  parseChatMemoryConfig,
  windowOf,
} from "./chat-memory/config.ts";
export { createGptTokenizer, type GptTokenizerOptions } from "./chat-memory/gpt-tokenizer.ts";

// Choosing, opening and checking a provider at run time.

export type { MemoryAdapter, MemoryAdapterTypes } from "./config/adapter.ts";
export {
  type DiagnosisOptions,
  type DiagnosisStep,
  type DiagnosisStepName,
  diagnoseMemoryProvider,
  formatMemoryDiagnosis,
  type MemoryDiagnosis,
} from "./config/diagnose.ts";
export { registerMemoryAdapter } from "./config/discovery.ts";
export {
  createMemoryProviderFromEnv,
  type EnvironmentReport,
  type EnvironmentVariable,
  formatEnvironmentReport,
  type MemoryEnvironment,
  type VariableState,
  validateMemoryEnvironment,
} from "./config/environment.ts";
export {
  createMemoryProvider,
  createSimpleMemoryProvider,
  type MemoryClient,
  type MemoryClients,
  type MemoryProviderConfig,
  type MemoryProviderOf,
  type MemorySettings,
  type MemoryType,
} from "./config/factory.ts";

// For backends.
