// For our own packages, including browsers. Not public: it may change in any version.

export { sha256, sha512t256, startSha512t256 } from "#digest";
export { isMediaResolver } from "./blobs/media-resolver.ts";
export { allConversations } from "./bridge/all-conversations.ts";
export {
  appendTo,
  type EndWrite,
  isConflict,
  look,
  type Place,
  type Seen,
  type Written,
  writeTo,
} from "./bridge/append-to.ts";
export { checkedProvider } from "./bridge/checked-provider.ts";
export { isExact } from "./bridge/is-exact.ts";
export { chatMemoryConfigSchema, parseChatMemoryConfig, windowOptionsOf } from "./chat-memory/config.ts";
export { parseOptions } from "./codec/checks.ts";
export { parseMessages } from "./codec/messages.ts";
export { originalIn, withOriginal } from "./codec/original.ts";
export { ownField, sameJson } from "./codec/same-json.ts";
export {
  createFailure,
  createMemoryConflictError,
  createMemoryStorageError,
  createMemoryValidationError,
  createSuccess,
  describeCause,
  isFailure,
  isSuccess,
} from "./contract/errors.ts";
export { createRunId, createTraceId, generateRunId, generateTraceId, idIssue } from "./contract/ids.ts";
export { canBegin } from "./contract/turn-beginning.ts";
export { MemoryCallError, unwrap } from "./contract/unwrap.ts";
export { isVersionedProvider, receiptOf, versionedMethods } from "./contract/versioned-provider.ts";
export { isProviderConversationStore, providerOf } from "./conversation-store/provider-over-store.ts";
export { ConversationStoreError } from "./conversation-store/store.ts";
export { conversationMetadata, createConversationStore } from "./conversation-store/store-over-provider.ts";
export { listConversations } from "./conversation-store/store-reader.ts";
export { parseApprovalDecision } from "./history/continuation/approval.ts";
export {
  assertValidContinuation,
  ContinuationValidationError,
  defaultContinuationValidator,
  historyTokenOf,
  validateContinuation,
} from "./history/continuation/validate-continuation.ts";
export {
  isMediaPart,
  isReasoningField,
  isReasoningPart,
  isTextPart,
  isUsersOwn,
  messageText,
  partText,
  stableLength,
} from "./history/messages/message-content.ts";
export { sanitizeConversation, sanitizeWithOrigins } from "./history/messages/sanitizer.ts";
export { calledTool, pendingToolCalls } from "./history/messages/tool-calls.ts";
export {
  isStructuredResult,
  rejectionIn,
  rejectionText,
  structuredResultIn,
} from "./history/messages/tool-result.ts";
export { countMessageTokens, estimateTokens, type Tokenizer } from "./history/window/tokens.ts";
export { planWindow } from "./history/window/window.ts";
export { windowTailOf } from "./history/window/window-tail.ts";
export { createInMemoryProvider } from "./in-memory/provider.ts";
export { onAbort, withDeadline } from "./runtime/abort.ts";
export { backoffDelayMs } from "./runtime/backoff.ts";
export { base64Of, bytesIn, textIn, utf8Of } from "./runtime/bytes.ts";
export { isTooDeep, jsonIn, MAX_DEPTH } from "./runtime/depth.ts";
export { createKeyedQueue, type KeyedQueue } from "./runtime/keyed-queue.ts";
export { extendObject, present, setBounded, thawed } from "./runtime/objects.ts";
export { callSafely } from "./runtime/observer.ts";
export { createPieces, type Pieces } from "./runtime/pieces.ts";
export { processEnvironment, restart, type Timeout, unref, warn } from "./runtime/process.ts";
export { checkRelease } from "./runtime/release.ts";
export { holdsSecret } from "./text/holds-secret.ts";
export { OFF_THE_RECORD, offTheRecord } from "./text/off-the-record.ts";
export { maskSecrets } from "./text/secrets.ts";
export { shownOrigin } from "./text/shown-origin.ts";
export { wrapInTag } from "./text/wrap-in-tag.ts";
export { type ProviderReading, readFrom } from "./wrappers/read-from.ts";
