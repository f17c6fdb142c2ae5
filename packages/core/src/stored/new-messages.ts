import type { ConversationMemory, Message } from "@jaf/memory";
import { sameJson, sanitizeConversation } from "@jaf/memory/internal";
import { withoutTaken } from "./inbox-record.ts";
import { firstPositionOf } from "./metadata.ts";

/**
 * Returns the messages of a run's input that the store doesn't have yet. Returns `undefined` if the input is a history
 * that contradicts the stored conversation.
 *
 * - Input with assistant or tool messages is a history. It must begin with all messages of the stored conversation,
 *   either as stored or as sanitized in `RunResult.finalState.messages`. It can begin with messages that the store has
 *   dropped.
 * - With `mayBeginLater`, a history can lack the oldest messages of the stored conversation. It must begin with a user
 *   message, and its new messages must all be user messages.
 * - Input with only user messages is new, unless it is a retry: the stored conversation ends with the same messages and
 *   no reply. The result for a retry is an empty list. Messages that a run has taken from the inbox don't count.
 */
export function newMessagesIn(
  incoming: readonly Message[],
  stored: ConversationMemory | null,
  options: NewMessagesOptions = { mayBeginLater: false },
): readonly Message[] | undefined {
  if (stored === null || stored.messages.length === 0) return incoming;
  if (isHistory(incoming)) return restAfter(incoming, stored, options);
  const messages = withoutTaken(stored);
  if (messages.length === 0) return incoming;
  const rest = restAfter(incoming, { ...stored, messages }, options);
  return rest ?? (repeatsUnanswered(incoming, messages) ? [] : incoming);
}

interface NewMessagesOptions {
  /**
   * Whether runs load only the end of the conversation. If they do, the histories that they return lack the oldest
   * messages.
   */
  readonly mayBeginLater: boolean;
}

/** Returns whether the messages are a history: at least one of them isn't a user message. */
export const isHistory = (messages: readonly Message[]): boolean =>
  messages.some(({ role }) => role !== "user");

/**
 * Returns the messages that follow the stored conversation in `incoming`; `undefined` if `incoming` doesn't contain it.
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
 * Returns the indexes of `incoming` at which the stored messages can begin, the most likely one first. `dropped`: how
 * many of the oldest messages the store has dropped.
 */
function possibleStarts(
  incoming: readonly Message[],
  history: readonly Message[],
  dropped: number,
): readonly number[] {
  // At most three, because a search at every index would take quadratic time in a conversation that repeats itself.
  if (dropped === 0) return [0];
  const onlyUserMessagesFollow = lastOther(incoming) - lastOther(history);
  const copyIsComplete = dropped;
  const copyIsTrimmed = 0;
  return [onlyUserMessagesFollow, copyIsComplete, copyIsTrimmed].filter(
    (start) => start >= 0 && start <= dropped,
  );
}

/**
 * Returns the stored messages that `incoming` must begin with if it lacks the beginning of the conversation;
 * `undefined` if it can't be such a history.
 */
function laterStart(
  incoming: readonly Message[],
  history: readonly Message[],
): readonly Message[] | undefined {
  // Correct only if all new messages are user messages.
  const left = lastOther(history) - lastOther(incoming);
  return left > 0 && isHistory(incoming) && history[left]?.role === "user" ? history.slice(left) : undefined;
}

const lastOther = (messages: readonly Message[]): number =>
  messages.findLastIndex(({ role }) => role !== "user");

const continues = (incoming: readonly Message[], history: readonly Message[], start: number): boolean =>
  start + history.length <= incoming.length &&
  history.every((message, index) => sameJson(message, incoming[start + index]));

/**
 * Returns whether `incoming` is equal to the last user messages of the stored conversation, and they have no final
 * reply.
 */
function repeatsUnanswered(incoming: readonly Message[], stored: readonly Message[]): boolean {
  const end = stored.findLastIndex(({ role }) => role === "user") + 1;
  if (end < incoming.length || stored.slice(end).some(isFinalReply)) return false;
  return incoming.every((message, index) => sameJson(message, stored[end - incoming.length + index]));
}

/** Returns whether the message is a reply that ends a turn: an assistant message without tool calls. */
export const isFinalReply = ({ role, tool_calls: calls }: Message): boolean =>
  role === "assistant" && (calls?.length ?? 0) === 0;
