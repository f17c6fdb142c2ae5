import type { ConversationMemory, Message } from "@jaf/memory";
import { sameJson, sanitizeConversation } from "@jaf/memory/internal";
import { firstPositionOf } from "./metadata.ts";

/**
 * Which of the messages that were handed to a run are new to the store. `undefined` if they are a history that contradicts the
 * stored one.
 *
 * - A history, which holds assistant or tool messages, must begin with the whole stored conversation, as it is stored
 *   or as `finalState.messages` has it. Where the store has dropped its oldest messages, the history may begin with up
 *   to as many more. With `mayBeginLater` it may begin at any later user message, if nothing but user messages is new.
 * - User messages are new, unless the stored conversation ends with these very messages and has no reply to them: then
 *   they are a retry. The same messages after a reply are new: a user may say "yes" twice.
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
  /** Whether runs of the conversation load only its end, so that the histories they return begin later. */
  readonly mayBeginLater: boolean;
}

/** Whether the messages are a history, with messages of other roles than the user's. It has to be compared with the whole conversation. */
export const isHistory = (messages: readonly Message[]): boolean =>
  messages.some(({ role }) => role !== "user");

/** The messages of `incoming` that follow the stored conversation. */
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
 * The indexes at which the stored messages may begin in a caller's copy, the likeliest first. Only three, so that the search
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

/** The stored messages from the one on at which a copy without the beginning may start. */
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

/** Whether these are the conversation's last user messages, still without a reply. */
function repeatsUnanswered(incoming: readonly Message[], stored: readonly Message[]): boolean {
  const end = stored.findLastIndex(({ role }) => role === "user") + 1;
  if (end < incoming.length || stored.slice(end).some(isFinalReply)) return false;
  return incoming.every((message, index) => sameJson(message, stored[end - incoming.length + index]));
}

/** Whether the message is a reply that ends a turn: an assistant message without tool calls. */
export const isFinalReply = ({ role, tool_calls: calls }: Message): boolean =>
  role === "assistant" && (calls?.length ?? 0) === 0;
