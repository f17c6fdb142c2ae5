import type { ConversationMemory, Message } from "@jaf/memory";
import { sameJson, sanitizeConversation } from "@jaf/memory/internal";
import { firstPositionOf } from "./metadata.ts";

/**
 * Returns the messages of a run's input that are new to the store; `undefined` if the input is a history that contradicts the
 * stored one.
 *
 * - A history has assistant or tool messages. It must begin with the whole stored conversation, as stored or as in
 *   `finalState.messages`. If the store has dropped its oldest messages, the history can begin with up to as many more. With
 *   `mayBeginLater` it can begin at any later user message, if only user messages are new.
 * - User messages are new, unless the stored conversation ends with the same messages without a reply: then they are a retry.
 *   The same messages after a reply are new, because a user can say "yes" twice.
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
  /** Whether runs of the conversation load only its end, so their histories begin later. */
  readonly mayBeginLater: boolean;
}

/**
 * Returns whether the messages are a history, i.e. have messages of other roles than the user's. A history is compared with the
 * whole conversation.
 */
export const isHistory = (messages: readonly Message[]): boolean =>
  messages.some(({ role }) => role !== "user");

/** Returns the messages of `incoming` that follow the stored conversation. */
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
 * Returns the indexes where the stored messages can begin in a caller's copy, most likely first. At most three, so the search
 * in a repetitive conversation doesn't take quadratic time.
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

/** Returns the stored messages from the possible start of a copy that lacks the beginning. */
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

/** Returns whether these are the conversation's last user messages, still without a reply. */
function repeatsUnanswered(incoming: readonly Message[], stored: readonly Message[]): boolean {
  const end = stored.findLastIndex(({ role }) => role === "user") + 1;
  if (end < incoming.length || stored.slice(end).some(isFinalReply)) return false;
  return incoming.every((message, index) => sameJson(message, stored[end - incoming.length + index]));
}

/** Returns whether the message is a reply that ends a turn: an assistant message without tool calls. */
export const isFinalReply = ({ role, tool_calls: calls }: Message): boolean =>
  role === "assistant" && (calls?.length ?? 0) === 0;
