import type { RichMessage } from "./message.ts";

/**
 * How many messages at the start of a prompt the next turn will repeat unchanged, e.g. for a model provider's prompt cache.
 * If the newest user message contains text marked `transient`, those before that message; otherwise all.
 */
export function stableLength(messages: readonly RichMessage[]): number {
  // Only in the newest user message: `transient` in any other message is stored with it, and doesn't change.
  const newest = messages.findLastIndex(({ role }) => role === "user");
  const content = messages[newest]?.content;
  const isChanging = Array.isArray(content) && content.some((part) => part["transient"] === true);
  return isChanging ? newest : messages.length;
}
