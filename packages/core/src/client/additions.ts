import type { Message } from "@jaf/memory";

export interface Origin {
  /** Whether the message, this very object, was there before the run. */
  readonly isHistory: (message: Message) => boolean;
  /** The model's messages of this run. */
  readonly replies: ReadonlySet<Message>;
}

/**
 * What a run added to its messages. By identity, as texts repeat. An assistant message of the history from which the
 * sanitizer took calls is a new object and isn't new.
 */
export function additionsTo(
  messages: readonly Message[],
  { isHistory, replies }: Origin,
): readonly Message[] {
  const last = messages.findLastIndex((message) => message.role !== "tool" && isHistory(message));
  const first = messages.findIndex(
    (message, index) =>
      index > last && !isHistory(message) && (message.role !== "assistant" || replies.has(message)),
  );
  return first === -1 ? [] : messages.slice(first).filter((message) => !isHistory(message));
}
