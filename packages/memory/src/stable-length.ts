import type { RichMessage } from "./message.ts";

/**
 * How many messages of a prompt, from the first on, the next turn will have too: those before what a turn puts in front of the
 * user's newest message, marked `transient`; all of them where there is no such text.
 */
export function stableLength(messages: readonly RichMessage[]): number {
  // Only there: a stored message that claims to be transient stays where it is.
  const newest = messages.findLastIndex(({ role }) => role === "user");
  const content = messages[newest]?.content;
  const isChanging = Array.isArray(content) && content.some((part) => part["transient"] === true);
  return isChanging ? newest : messages.length;
}
