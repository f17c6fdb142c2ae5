export { type BackoffLimits, type BackoffOptions, type Outcome, retryWithBackoff } from "../async/backoff.ts";
export { type BackoffDelays, backoffDelayMs } from "../async/backoff-delay.ts";
export { callSafely } from "../async/call-safely.ts";
export { type DeadlineOptions, withDeadline } from "../async/deadline.ts";
export { createKeyedQueue, type KeyedQueue } from "../async/keyed-queue.ts";
export { onAbort } from "../async/on-abort.ts";
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
} from "../backend/backend.ts";
export { defineMemoryProvider } from "../backend/define-provider.ts";
export { extendBackend } from "../backend/extend-backend.ts";
export { type DigestAlgorithm, messageHash, nextDigest } from "../backend/history-digest.ts";
export { type MessageMapping, mapMessages } from "../backend/map-messages.ts";
export { selectedBounds } from "../backend/selection.ts";
export type { BlobBackend, BlobEntry, BlobHold, ListedBlob, NewBlob } from "../blobs/blob-backend.ts";
export type { BlobStore } from "../blobs/blob-store.ts";
export { defineBlobStore } from "../blobs/define-blob-store.ts";
export type { BlobReference } from "../blobs/reference.ts";
export { conversationCursor } from "../codec/cursor.ts";
export { decodeMessage } from "../codec/decode.ts";
export { idIssue, isPortableText, MAX_ID_LENGTH } from "../codec/ids.ts";
export type { JsonObject, JsonValue } from "../codec/json.ts";
export { parseOptions } from "../codec/schema-issues.ts";
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
} from "../errors.ts";
export { type InMemoryConfig, inMemoryConfigSchema } from "../in-memory/config.ts";
export { createInMemoryBackend } from "../in-memory/provider.ts";
export {
  type ExpectedIncarnation,
  isErasedSince,
  TOMBSTONE_SECONDS,
  type Tombstones,
  tombstoneKey,
} from "../incarnation.ts";
export { messageText } from "../message-text.ts";
export { present } from "../present.ts";
export { type ProviderReading, readFrom } from "../read-from.ts";
export { createFailure, createSuccess, type Result } from "../result.ts";
export { MemorySetupError } from "../setup-error.ts";
export { wrapInTag } from "../text/wrap-in-tag.ts";
export { defineTurnLog, TurnConflict, type TurnLogBackend } from "../turn-log/define-turn-log.ts";
export { createInMemoryTurnLog, type InMemoryTurnLogOptions } from "../turn-log/in-memory.ts";
export { isVersionedProvider, type VersionedMemoryProvider } from "../versioned-provider.ts";
export { estimateTokens, type Tokenizer } from "../window/tokens.ts";
export type { AdapterVariable, MemoryAdapter } from "./adapter.ts";
