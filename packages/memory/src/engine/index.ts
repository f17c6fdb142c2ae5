// What an engine that runs turns needs as it loads. The root holds all of it and more: retries, fallbacks, blobs, the lookup of
// adapters and what else most engines never call. What is also in the adapters' entry is here even where only some engines call it:
// each file of the build that two entries share and this one doesn't takes half a millisecond to import.
export { base64Of, bytesIn, sha256, sha512t256, startSha512t256 } from "#platform";
export { withDeadline } from "../async/deadline.ts";
export { onAbort } from "../async/on-abort.ts";
export { defineBlobStore } from "../blobs/define-blob-store.ts";
export { readsMedia } from "../blobs/reading.ts";
export { idIssue } from "../codec/ids.ts";
export { parseMessages } from "../codec/parse-messages.ts";
export { parseOptions } from "../codec/schema-issues.ts";
export { parseApprovalDecision } from "../continuation/approval.ts";
export { historyTokenOf } from "../continuation/history-token.ts";
export {
  assertValidContinuation,
  ContinuationValidationError,
  validateContinuation,
} from "../continuation/validate.ts";
export { defaultContinuationValidator } from "../continuation/validator.ts";
export { ConversationStoreError } from "../conversation-store/error.ts";
export { conversationMetadata } from "../conversation-store/meta.ts";
export { isProviderConversationStore, providerOf } from "../conversation-store/provider-of.ts";
export { createConversationStore } from "../conversation-store/provider-store.ts";
export {
  createMemoryConflictError,
  createMemoryStorageError,
  createMemoryValidationError,
  describeCause,
} from "../errors.ts";
export { pendingToolCalls } from "../history/pending.ts";
export { sanitizeConversation } from "../history/sanitizer.ts";
export { createRunId, createTraceId, generateRunId, generateTraceId } from "../ids.ts";
export { createInMemoryProvider } from "../in-memory/provider.ts";
export { sameJson } from "../json/same-json.ts";
export { lazy } from "../lazy.ts";
export { messageText, partText } from "../message-text.ts";
export { isMediaPart, isReasoningField, isReasoningPart, isTextPart } from "../part-kinds.ts";
export { processEnvironment, warn } from "../platform/process.ts";
export { restart, type Timeout, unref } from "../platform/timer.ts";
export { textIn, utf8Of } from "../platform/utf8.ts";
export { readFrom } from "../read-from.ts";
export { createFailure, createSuccess, isFailure, isSuccess } from "../result.ts";
export { MemorySetupError } from "../setup-error.ts";
export { stableLength } from "../stable-length.ts";
export { fence } from "../text/fence.ts";
export { calledTool } from "../tool-call.ts";
export { isVersionedProvider, receiptOf } from "../versioned-provider.ts";
export { parseChatMemoryConfig, windowOptionsOf } from "../window/config.ts";
export { countMessageTokens } from "../window/message-tokens.ts";
export { windowTailOf } from "../window/tail.ts";
export { estimateTokens } from "../window/tokens.ts";
export { planWindow } from "../window/window.ts";
