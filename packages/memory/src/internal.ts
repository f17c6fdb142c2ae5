
// For engines and adapters of models: what they import at start-up. `client` and `turns` build on it; hashes are in `digest`. The
// root has most of what applications need of it, and what engines never call: retries, fallbacks, blobs, the lookup of adapters.

export { backoffDelayMs } from "./runtime/backoff.ts";
export { callSafely } from "./runtime/observer.ts";
export { withDeadline } from "./runtime/abort.ts";
export { onAbort } from "./runtime/abort.ts";
export { idIssue } from "./contract/ids.ts";
export { parseMessages } from "./codec/messages.ts";
export { parseOptions } from "./codec/checks.ts";
export { parseApprovalDecision } from "./history/continuation/approval.ts";
export {
  createMemoryConflictError,
  createMemoryStorageError,
  createMemoryValidationError,
  describeCause,
} from "./contract/errors.ts";
export { createRunId, createTraceId, generateRunId, generateTraceId } from "./contract/ids.ts";
export { sameJson } from "./codec/same-json.ts";
export { messageText, partText } from "./history/messages/message-content.ts";
export { sanitizeConversation, sanitizeWithOrigins } from "./history/messages/sanitizer.ts";
export { isMediaPart, isReasoningField, isReasoningPart, isTextPart } from "./history/messages/message-content.ts";
export { base64Of, bytesIn } from "./runtime/bytes.ts";
export { processEnvironment, warn } from "./runtime/process.ts";
export { restart, type Timeout, unref } from "./runtime/process.ts";
export { textIn, utf8Of } from "./runtime/bytes.ts";
export { present } from "./runtime/objects.ts";
export { createFailure, createSuccess, isFailure, isSuccess } from "./contract/errors.ts";
export { holdsSecret, maskSecrets } from "./text/secrets.ts";
export { stableLength } from "./history/messages/message-content.ts";
export { calledTool } from "./history/messages/tool-calls.ts";

// For agent clients and user memory, which call a provider outside of runs: what they import at start-up, in addition to `engine`.
// Not in `engine`, so that a page which only runs agents loads neither stores nor hashes.
export { isPortableText } from "./contract/ids.ts";
export { createConversationStore } from "./conversation-store/store-over-provider.ts";
export { createMemoryConnectionError } from "./contract/errors.ts";
export { readFrom } from "./wrappers/read-from.ts";
export { MemorySetupError } from "./contract/errors.ts";
export { wrapInTag } from "./text/wrap-in-tag.ts";
export { isVersionedProvider } from "./contract/versioned-provider.ts";
export { parseChatMemoryConfig, windowOptionsOf } from "./chat-memory/config.ts";
export { estimateTokens } from "./history/window/tokens.ts";

// For engines, loaded by the first run that stores turns, has a window, or continues what a client sent. It includes `client`, and
// so `engine`.
export { sha256, sha512t256, startSha512t256 } from "#digest";
export { createKeyedQueue, type KeyedQueue } from "./runtime/keyed-queue.ts";
export { isMediaResolver, type MediaResolver, type ResolveOptions } from "./blobs/media-resolver.ts";
export { historyTokenOf } from "./history/continuation/validate-continuation.ts";
export {
  assertValidContinuation,
  ContinuationValidationError,
  validateContinuation,
} from "./history/continuation/validate-continuation.ts";
export { defaultContinuationValidator } from "./history/continuation/validate-continuation.ts";
export { type ListedConversation, listConversations } from "./conversation-store/store-reader.ts";
export { isProviderConversationStore, providerOf } from "./conversation-store/provider-over-store.ts";
export { ConversationStoreError } from "./conversation-store/store.ts";
export { conversationMetadata } from "./conversation-store/store-over-provider.ts";
export { createInMemoryProvider } from "./in-memory/provider.ts";
export { pendingToolCalls } from "./history/messages/tool-calls.ts";
export { receiptOf, type WriteReceipt, type WriteResult } from "./contract/versioned-provider.ts";
export { type ChatMemoryConfig, type ChatMemoryOptions, chatMemoryConfigSchema } from "./chat-memory/config.ts";
export { countMessageTokens } from "./history/window/tokens.ts";
export { planWindow } from "./history/window/window.ts";
export { windowTailOf } from "./history/window/window-tail.ts";

// Hashes, by Node's modules where they are. Apart from what an engine needs as it loads: without Node's modules they are code.
export { sha256, sha512t256, startSha512t256 } from "#digest";
