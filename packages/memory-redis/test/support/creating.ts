import type { RedisProvider } from "../../src/index.ts";

/** The same provider, whose appends make the conversations that aren't there. */
export const creating = (provider: RedisProvider): RedisProvider => ({
  ...provider,
  appendMessages: (conversationId, messages, metadata, options) =>
    provider.appendMessages(conversationId, messages, metadata, { createIfMissing: "unowned", ...options }),
});
