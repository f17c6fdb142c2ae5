import type { Message } from "@jaf/memory";

/**
 * Returns how many model calls, except the first of each conversation, begin with the unchanged messages of the call
 * before, and so can use a model provider's prompt cache. There is a call before each assistant message.
 */
export function reusedCalls(
  conversations: readonly (readonly Message[])[],
  window: (history: readonly Message[]) => readonly Message[],
): { readonly reused: number; readonly calls: number } {
  let reused = 0;
  let calls = 0;
  for (const messages of conversations) {
    let previous: readonly Message[] | undefined;
    for (const [index, { role }] of messages.entries()) {
      if (role !== "assistant") continue;
      const sent = window(messages.slice(0, index));
      if (previous !== undefined) {
        calls += 1;
        if (previous.every((message, at) => sent[at] === message)) reused += 1;
      }
      previous = sent;
    }
  }
  return { reused, calls };
}
