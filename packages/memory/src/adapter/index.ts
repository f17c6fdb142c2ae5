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
export { defineBlobStore } from "../blobs/define-blob-store.ts";
export { decodeMessage } from "../codec/decode.ts";
export { idIssue, isPortableText, MAX_ID_LENGTH } from "../codec/ids.ts";
export type { JsonObject, JsonValue } from "../codec/json.ts";
export { parseOptions } from "../codec/schema-issues.ts";
export {
  createMemoryConnectionError,
  createMemoryStorageError,
  createMemoryValidationError,
  describeCause,
} from "../errors.ts";
export { createInMemoryBackend } from "../in-memory/provider.ts";
export {
  type ExpectedIncarnation,
  isErasedSince,
  TOMBSTONE_SECONDS,
  type Tombstones,
  tombstoneKey,
} from "../incarnation.ts";
export { lazy } from "../lazy.ts";
export { messageText } from "../message-text.ts";
export { readFrom } from "../read-from.ts";
export { createFailure, createSuccess } from "../result.ts";
export { MemorySetupError } from "../setup-error.ts";
export { wrapInTag } from "../text/wrap-in-tag.ts";
export { isVersionedProvider } from "../versioned-provider.ts";
export { estimateTokens } from "../window/tokens.ts";
export type { AdapterVariable, MemoryAdapter } from "./adapter.ts";
