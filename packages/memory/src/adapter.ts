export { defineMemoryProvider } from "./backend/define-provider.ts";
export { extendBackend, type MessageMapping, mapMessages } from "./backend/map-messages.ts";
export type { BlobBackend, BlobEntry, BlobHold, BlobStore, ListedBlob, NewBlob } from "./blobs/blob-store.ts";
export { defineBlobStore } from "./blobs/define-blob-store.ts";
export { parseOptions } from "./codec/checks.ts";
export { decodeMessage } from "./codec/messages.ts";
export { conversationCursor } from "./codec/query.ts";
export { selectedBounds } from "./codec/read.ts";
export type { AdapterVariable, MemoryAdapter } from "./config/adapter.ts";
export type { JsonObject, JsonValue } from "./contract/backend.ts";
export {
  type ConversationPosition,
  type ConversationQuery,
  type ConversationSource,
  type ConversationWrite,
  type DigestAlgorithm,
  type EncodedMessage,
  type ExpectedIncarnation,
  type HistoryReader,
  type HistoryRequest,
  IDEMPOTENCY_WINDOW,
  isErasedSince,
  type MemoryBackend,
  messageHash,
  nextDigest,
  type OwnMessageId,
  type ReadOutcome,
  type ReadRequest,
  type StoredConversation,
  type StoredHistory,
  type StoredMessage,
  type StoredSelection,
  TOMBSTONE_SECONDS,
  type Tombstones,
  tombstoneKey,
  type WriteConflictReason,
  type WriteOutcome,
} from "./contract/backend.ts";
export {
  createFailure,
  createMemoryConflictError,
  createMemoryConnectionError,
  createMemoryNotFoundError,
  createMemoryStorageError,
  createMemoryValidationError,
  createSuccess,
  describeCause,
  type ErrorCause,
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
export { idIssue, isPortableText, MAX_ID_LENGTH } from "./contract/ids.ts";
export type { BlobReference } from "./contract/message.ts";
export { isVersionedProvider, type VersionedMemoryProvider } from "./contract/versioned-provider.ts";
export { messageText } from "./history/messages/message-content.ts";
export { estimateTokens, type Tokenizer } from "./history/window/tokens.ts";
export { createInMemoryBackend, type InMemoryConfig, inMemoryConfigSchema } from "./in-memory/provider.ts";
export { type DeadlineOptions, onAbort, withDeadline } from "./runtime/abort.ts";
export {
  type BackoffDelays,
  type BackoffLimits,
  type BackoffOptions,
  backoffDelayMs,
  type Outcome,
  retryWithBackoff,
} from "./runtime/backoff.ts";
export { createKeyedQueue, type KeyedQueue } from "./runtime/keyed-queue.ts";
export { present } from "./runtime/objects.ts";
export { callSafely } from "./runtime/observer.ts";
export { wrapInTag } from "./text/wrap-in-tag.ts";
export { defineTurnLog, TurnConflict, type TurnLogBackend } from "./turn-log/define-turn-log.ts";
export { createInMemoryTurnLog, type InMemoryTurnLogOptions } from "./turn-log/in-memory.ts";
export { type ProviderReading, readFrom } from "./wrappers/read-from.ts";
