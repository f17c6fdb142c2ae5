// For agent clients and user memory, which call a provider outside of runs: what they import at start-up, in addition to `engine`.
// Not in `engine`, so that a page which only runs agents loads neither stores nor hashes.
export { isPortableText } from "../codec/ids.ts";
export { createConversationStore } from "../conversation-store/store-over-provider.ts";
export * from "../engine/index.ts";
export { createMemoryConnectionError } from "../errors.ts";
export { readFrom } from "../read-from.ts";
export { MemorySetupError } from "../setup-error.ts";
export { wrapInTag } from "../text/wrap-in-tag.ts";
export { isVersionedProvider } from "../versioned-provider.ts";
export { parseChatMemoryConfig, windowOptionsOf } from "../window/config.ts";
export { estimateTokens } from "../window/tokens.ts";
