// All that an engine needs: beside what it and its clients need as they load, which is in `engine` and `client`, what is for turns that are stored, for windows
// and for what clients send back. Apart from that, so that an engine can load it when a turn first needs it.
export { sha256, sha512t256, startSha512t256 } from "#digest";
export { isMediaResolver, type MediaResolver, type ResolveOptions } from "../blobs/media-resolver.ts";
export * from "../client/index.ts";
export { historyTokenOf } from "../continuation/history-token.ts";
export {
  assertValidContinuation,
  ContinuationValidationError,
  validateContinuation,
} from "../continuation/validate-continuation.ts";
export { defaultContinuationValidator } from "../continuation/validator-hook.ts";
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
