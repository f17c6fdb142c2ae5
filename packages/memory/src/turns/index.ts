// For engines, loaded by the first run that stores turns, has a window, or continues what a client sent. It includes `client`, and
// so `engine`.
export { sha256, sha512t256, startSha512t256 } from "#digest";
export { createKeyedQueue, type KeyedQueue } from "../async/keyed-queue.ts";
export { isMediaResolver, type MediaResolver, type ResolveOptions } from "../blobs/media-resolver.ts";
export * from "../client/index.ts";
export { historyTokenOf } from "../continuation/history-token.ts";
export {
  assertValidContinuation,
  ContinuationValidationError,
  validateContinuation,
} from "../continuation/validate-continuation.ts";
export { defaultContinuationValidator } from "../continuation/validator-hook.ts";
export { type ListedConversation, listConversations } from "../conversation-store/listed-conversations.ts";
export { isProviderConversationStore, providerOf } from "../conversation-store/provider-over-store.ts";
export { ConversationStoreError } from "../conversation-store/store-error.ts";
export { conversationMetadata } from "../conversation-store/store-metadata.ts";
export { createInMemoryProvider } from "../in-memory/provider.ts";
export { pendingToolCalls } from "../messages/pending.ts";
export { receiptOf, type WriteReceipt, type WriteResult } from "../versioned-provider.ts";
export { type ChatMemoryConfig, type ChatMemoryOptions, chatMemoryConfigSchema } from "../window/config.ts";
export { countMessageTokens } from "../window/message-tokens.ts";
export { planWindow } from "../window/window.ts";
export { windowTailOf } from "../window/window-tail.ts";
