import type { RedisProvider } from "../../src/index.ts";

/** The same provider with appends that create missing conversations. */
export const creating = (provider: RedisProvider): RedisProvider => ({
  ...provider,
  appendMessages: (conversationId, messages, metadata, options) =>
    provider.appendMessages(conversationId, messages, metadata, { createIfMissing: "unowned", ...options }),
});
