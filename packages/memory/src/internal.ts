// For engines and adapters of models: what they import at start-up. `client` and `turns` build on it; hashes are in `digest`. The
// root has most of what applications need of it, and what engines never call: retries, fallbacks, blobs, the lookup of adapters.

// For engines, loaded by the first run that stores turns, has a window, or continues what a client sent. It includes `client`, and
// so `engine`.
export { sha256, sha512t256, startSha512t256 } from "#digest";
export { isMediaResolver, type MediaResolver, type ResolveOptions } from "./blobs/media-resolver.ts";
export {
  type ChatMemoryConfig,
  type ChatMemoryOptions,
  chatMemoryConfigSchema,
  parseChatMemoryConfig,
  windowOptionsOf,
} from "./chat-memory/config.ts";
export { parseOptions } from "./codec/checks.ts";
export { parseMessages } from "./codec/messages.ts";
export { sameJson } from "./codec/same-json.ts";
export {
  createFailure,
  createMemoryConflictError,
  createMemoryConnectionError,
  createMemoryStorageError,
  createMemoryValidationError,
  createSuccess,
  describeCause,
  isFailure,
  isSuccess,
  MemorySetupError,
} from "./contract/errors.ts";
// For agent clients and user memory, which call a provider outside of runs: what they import at start-up, in addition to `engine`.
// Not in `engine`, so that a page which only runs agents loads neither stores nor hashes.
export {
  createRunId,
  createTraceId,
  generateRunId,
  generateTraceId,
  idIssue,
  isPortableText,
} from "./contract/ids.ts";
export {
  isVersionedProvider,
  receiptOf,
  type WriteReceipt,
  type WriteResult,
} from "./contract/versioned-provider.ts";
export { isProviderConversationStore, providerOf } from "./conversation-store/provider-over-store.ts";
export { ConversationStoreError } from "./conversation-store/store.ts";
export { conversationMetadata, createConversationStore } from "./conversation-store/store-over-provider.ts";
export { type ListedConversation, listConversations } from "./conversation-store/store-reader.ts";
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
  messageText,
  partText,
  stableLength,
} from "./history/messages/message-content.ts";
export { sanitizeConversation, sanitizeWithOrigins } from "./history/messages/sanitizer.ts";
export { calledTool, pendingToolCalls } from "./history/messages/tool-calls.ts";
export { countMessageTokens, estimateTokens } from "./history/window/tokens.ts";
export { planWindow } from "./history/window/window.ts";
export { windowTailOf } from "./history/window/window-tail.ts";
export { createInMemoryProvider } from "./in-memory/provider.ts";
export { onAbort, withDeadline } from "./runtime/abort.ts";
export { backoffDelayMs } from "./runtime/backoff.ts";
export { base64Of, bytesIn, textIn, utf8Of } from "./runtime/bytes.ts";
export { createKeyedQueue, type KeyedQueue } from "./runtime/keyed-queue.ts";
export { present } from "./runtime/objects.ts";
export { callSafely } from "./runtime/observer.ts";
export { processEnvironment, restart, type Timeout, unref, warn } from "./runtime/process.ts";
export { holdsSecret, maskSecrets } from "./text/secrets.ts";
export { wrapInTag } from "./text/wrap-in-tag.ts";
export { readFrom } from "./wrappers/read-from.ts";
