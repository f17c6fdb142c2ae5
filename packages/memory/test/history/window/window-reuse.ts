import type { Message } from "@jaf/memory";

/**
 * Of all model calls but the first of each conversation, how many begin with what the call before was sent, unchanged:
 * those for which a model provider's prompt cache holds. A call is made before each message of the assistant.
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
