import type { ConversationMemory, Message } from "@jaf/memory";
import { sameJson, sanitizeConversation } from "@jaf/memory/engine";
import { isFinalReply } from "./final-reply.ts";
import { firstPositionOf } from "./metadata.ts";

/**
 * Those of the messages handed to a run that the store hasn't yet, or `undefined` where they are a history that
 * contradicts the stored one: nobody can tell then which of them are new.
 *
 * - A history, which holds assistant or tool messages, must begin with the whole stored conversation, as it is stored
 *   or as `finalState.messages` has it. Where the store has dropped its oldest messages, the history may begin with up
 *   to as many more. With `mayBeginLater` it may begin at any later user message, if nothing but user messages is new.
 * - User messages are new, unless the stored conversation ends with these very messages and has no reply to them: then
 *   they are a retry. Said again after a reply they are new, as a person may say "yes" twice.
 */
export function unsaidMessages(
  incoming: readonly Message[],
  stored: ConversationMemory | null,
  options: UnsaidOptions = { mayBeginLater: false },
): readonly Message[] | undefined {
  if (stored === null || stored.messages.length === 0) return incoming;
  const rest = restAfter(incoming, stored, options);
  if (rest !== undefined) return rest;
  if (isHistory(incoming)) return undefined;
  return repeatsUnanswered(incoming, stored.messages) ? [] : incoming;
}

interface UnsaidOptions {
  /** Whether runs of the conversation load its end alone, and give out no more. */
  readonly mayBeginLater: boolean;
}

/** Whether it holds what a person can't have said: then it has to be compared with the whole conversation. */
export const isHistory = (messages: readonly Message[]): boolean =>
  messages.some(({ role }) => role !== "user");

/** What follows the stored conversation in `incoming`. */
function restAfter(
  incoming: readonly Message[],
  stored: ConversationMemory,
  { mayBeginLater }: UnsaidOptions,
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
 * Where the stored messages may begin in a caller's copy, likeliest first. Three candidates instead of every position,
 * so that a conversation that repeats itself isn't searched in quadratic time.
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

/** The stored messages from where a copy without the beginning may start. */
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

/** Whether these user messages are the last that were said, and wait for their reply. */
function repeatsUnanswered(incoming: readonly Message[], stored: readonly Message[]): boolean {
  const end = stored.findLastIndex(({ role }) => role === "user") + 1;
  if (end < incoming.length || stored.slice(end).some(isFinalReply)) return false;
  return incoming.every((message, index) => sameJson(message, stored[end - incoming.length + index]));
}
