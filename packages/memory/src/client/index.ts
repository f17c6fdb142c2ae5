// What is needed as it loads by whoever makes calls to a provider outside of a run, as agent clients and user memory do: beside
// `engine`, conversation stores over providers, reads, and how a window's configuration is checked. Apart from `engine`, so that a
// page which only runs agents loads none of it, nor hashes.
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
