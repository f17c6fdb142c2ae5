import type { ConversationMemory, Message } from "@jaf/memory";
import { sameJson, sanitizeConversation } from "@jaf/memory/internal";
import { firstPositionOf } from "./metadata.ts";

/**
 * Returns the messages of a run's input that the store doesn't have yet. Returns `undefined` if the input is a history that
 * contradicts the stored conversation.
 *
 * - Input with assistant or tool messages is a history. It must begin with the whole stored conversation, as stored or as in
 *   `finalState.messages`. If the store has dropped its oldest messages, the history can have up to that many more messages
 *   at its beginning. With `mayBeginLater` the history can begin at any later user message, if only user messages are new.
 * - Input with only user messages is new. If the stored conversation ends with the same messages and no reply, the input is a
 *   retry and isn't new. The same messages after a reply are new, because a user can say "yes" twice.
 */
export function newMessagesIn(
  incoming: readonly Message[],
  stored: ConversationMemory | null,
  options: NewMessagesOptions = { mayBeginLater: false },
): readonly Message[] | undefined {
  if (stored === null || stored.messages.length === 0) return incoming;
  const rest = restAfter(incoming, stored, options);
  if (rest !== undefined) return rest;
  if (isHistory(incoming)) return undefined;
  return repeatsUnanswered(incoming, stored.messages) ? [] : incoming;
}

interface NewMessagesOptions {
  /** Whether runs of the conversation load only the conversation's end, so the histories that they return begin later. */
  readonly mayBeginLater: boolean;
}

/**
 * Returns whether the messages are a history, i.e. not all of them are user messages. A history is compared with the whole
 * conversation.
 */
export const isHistory = (messages: readonly Message[]): boolean =>
  messages.some(({ role }) => role !== "user");

/**
 * Returns the messages of `incoming` that follow the stored conversation; `undefined` if `incoming` doesn't contain the
 * stored conversation.
 */
function restAfter(
  incoming: readonly Message[],
  stored: ConversationMemory,
  { mayBeginLater }: NewMessagesOptions,
): readonly Message[] | undefined {
  const dropped = isHistory(incoming) ? firstPositionOf(stored) : 0;
  for (const history of new Set([stored.messages, sanitizeConversation(stored.messages)])) {
    if (history.length === 0) continue;
    for (const start of possibleStarts(incoming, history, dropped)) {
      if (continues(incoming, history, start)) return incoming.slice(start + history.length);
    }
    const later = mayBeginLater ? laterStart(incoming, history) : undefined;
    if (later !== undefined && continues(incoming, later, 0)) return incoming.slice(later.length);
  }
  return undefined;
}

/**
 * Returns the indexes at which the stored messages can begin in a caller's copy, most likely first. Returns at most three
 * indexes, so the search in a repetitive conversation doesn't take quadratic time.
 */
function possibleStarts(
  incoming: readonly Message[],
  history: readonly Message[],
  dropped: number,
): readonly number[] {
  if (dropped === 0) return [0];
  const onlyUserMessagesFollow = lastOther(incoming) - lastOther(history);
  const copyIsComplete = dropped;
  const copyIsTrimmed = 0;
  return [onlyUserMessagesFollow, copyIsComplete, copyIsTrimmed].filter(
    (start) => start >= 0 && start <= dropped,
  );
}

/**
 * For a caller's copy that lacks the beginning of the conversation: returns the stored messages from the one with which
 * the copy must begin. Returns `undefined` if `incoming` can't be such a copy.
 */
function laterStart(
  incoming: readonly Message[],
  history: readonly Message[],
): readonly Message[] | undefined {
  const left = lastOther(history) - lastOther(incoming);
  return left > 0 && isHistory(incoming) && history[left]?.role === "user" ? history.slice(left) : undefined;
}

const lastOther = (messages: readonly Message[]): number =>
  messages.findLastIndex(({ role }) => role !== "user");

const continues = (incoming: readonly Message[], history: readonly Message[], start: number): boolean =>
  start + history.length <= incoming.length &&
  history.every((message, index) => sameJson(message, incoming[start + index]));

/** Returns whether these messages are the stored conversation's last user messages, and have no reply yet. */
function repeatsUnanswered(incoming: readonly Message[], stored: readonly Message[]): boolean {
  const end = stored.findLastIndex(({ role }) => role === "user") + 1;
  if (end < incoming.length || stored.slice(end).some(isFinalReply)) return false;
  return incoming.every((message, index) => sameJson(message, stored[end - incoming.length + index]));
}

/** Returns whether the message is a reply that ends a turn: an assistant message without tool calls. */
export const isFinalReply = ({ role, tool_calls: calls }: Message): boolean =>
  role === "assistant" && (calls?.length ?? 0) === 0;
