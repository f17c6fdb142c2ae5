export { type BackoffLimits, type BackoffOptions, type Outcome, retryWithBackoff } from "./runtime/backoff.ts";
export { type BackoffDelays, backoffDelayMs } from "./runtime/backoff.ts";
export { callSafely } from "./runtime/observer.ts";
export { type DeadlineOptions, withDeadline } from "./runtime/abort.ts";
export { createKeyedQueue, type KeyedQueue } from "./runtime/keyed-queue.ts";
export { onAbort } from "./runtime/abort.ts";
export {
  type ConversationPosition,
  type ConversationQuery,
  type ConversationSource,
  type ConversationWrite,
  type EncodedMessage,
  type HistoryReader,
  type HistoryRequest,
  IDEMPOTENCY_WINDOW,
  type MemoryBackend,
  type OwnMessageId,
  type ReadOutcome,
  type ReadRequest,
  type StoredConversation,
  type StoredHistory,
  type StoredMessage,
  type StoredSelection,
  type WriteConflictReason,
  type WriteOutcome,
} from "./contract/backend.ts";
export { defineMemoryProvider } from "./backend/define-provider.ts";
export { extendBackend } from "./backend/map-messages.ts";
export { type DigestAlgorithm, messageHash, nextDigest } from "./contract/backend.ts";
export { type MessageMapping, mapMessages } from "./backend/map-messages.ts";
export { selectedBounds } from "./codec/read.ts";
export type { BlobBackend, BlobEntry, BlobHold, ListedBlob, NewBlob } from "./blobs/blob-store.ts";
export type { BlobStore } from "./blobs/blob-store.ts";
export { defineBlobStore } from "./blobs/define-blob-store.ts";
export type { BlobReference } from "./blobs/blob-store.ts";
export { conversationCursor } from "./codec/query.ts";
export { decodeMessage } from "./codec/read.ts";
export { idIssue, isPortableText, MAX_ID_LENGTH } from "./contract/ids.ts";
export type { JsonObject, JsonValue } from "./codec/json.ts";
export { parseOptions } from "./codec/checks.ts";
export {
  createMemoryConflictError,
  createMemoryConnectionError,
  createMemoryNotFoundError,
  createMemoryStorageError,
  createMemoryValidationError,
  describeCause,
  type ErrorCause,
  type MemoryConflictError,
  type MemoryConflictReason,
  type MemoryConnectionError,
  type MemoryErrorDetails,
  type MemoryErrorUnion,
  type MemoryIssue,
  type MemoryNotFoundError,
  type MemoryStorageError,
  type MemoryValidationError,
} from "./contract/errors.ts";
export { type InMemoryConfig, inMemoryConfigSchema } from "./in-memory/provider.ts";
export { createInMemoryBackend } from "./in-memory/provider.ts";
export {
  type ExpectedIncarnation,
  isErasedSince,
  TOMBSTONE_SECONDS,
  type Tombstones,
  tombstoneKey,
} from "./contract/backend.ts";
export { messageText } from "./history/messages/message-content.ts";
export { present } from "./runtime/objects.ts";
export { type ProviderReading, readFrom } from "./wrappers/read-from.ts";
export { createFailure, createSuccess, type Result } from "./contract/errors.ts";
export { MemorySetupError } from "./contract/errors.ts";
export { wrapInTag } from "./text/wrap-in-tag.ts";
export { defineTurnLog, TurnConflict, type TurnLogBackend } from "./turn-log/define-turn-log.ts";
export { createInMemoryTurnLog, type InMemoryTurnLogOptions } from "./turn-log/in-memory.ts";
export { isVersionedProvider, type VersionedMemoryProvider } from "./contract/versioned-provider.ts";
export { estimateTokens, type Tokenizer } from "./history/window/tokens.ts";
export type { AdapterVariable, MemoryAdapter } from "./config/adapter.ts";
