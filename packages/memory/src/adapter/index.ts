export { type BackoffLimits, type BackoffOptions, type Outcome, retryWithBackoff } from "../async/backoff.ts";
export { type DeadlineOptions, withDeadline } from "../async/deadline.ts";
export { createKeyedQueue, type KeyedQueue } from "../async/keyed-queue.ts";
export { onAbort } from "../async/on-abort.ts";
export {
  type ConversationPosition,
  type ConversationQuery,
  type ConversationSource,
  type ConversationWrite,
  type EncodedMessage,
  IDEMPOTENCY_WINDOW,
  type MemoryBackend,
  type OwnMessageId,
  type ReadOutcome,
  type ReadRequest,
  type StoredConversation,
  type StoredMessage,
  type StoredSelection,
  type WriteConflictReason,
  type WriteOutcome,
} from "../backend/backend.ts";
export { defineMemoryProvider } from "../backend/define-provider.ts";
export { extendBackend } from "../backend/extend-backend.ts";
export {
  type ExpectedIncarnation,
  isErasedSince,
  TOMBSTONE_SECONDS,
  type Tombstones,
  tombstoneKey,
} from "../backend/incarnation.ts";
export { type MessageMapping, mapMessages } from "../backend/map-messages.ts";
export { selectedBounds } from "../backend/selection.ts";
export { decodeMessage } from "../codec/decode.ts";
export { idIssue, isPortableText, MAX_ID_LENGTH } from "../codec/ids.ts";
export type { JsonObject, JsonValue } from "../codec/json.ts";
export { parseOptions } from "../codec/schema-issues.ts";
export { createInMemoryBackend } from "../in-memory/provider.ts";
export { lazy } from "../lazy.ts";
export type { AdapterVariable, MemoryAdapter } from "./adapter.ts";
