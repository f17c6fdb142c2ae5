import type { Message } from "@jaf/memory";
import { isFinalReply } from "../memory/final-reply.ts";
import type { Journal } from "../memory/journal.ts";

/** The last user messages in a row, whatever stands behind them. */
export function lastUserMessages(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(({ role }) => role === "user") + 1;
  const before = messages.findLastIndex(({ role }, index) => index < end && role !== "user");
  return messages.slice(before + 1, end);
}

/** The last user messages in a row; none if they have their reply. */
export function unansweredUserMessages(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(({ role }) => role === "user") + 1;
  return messages.slice(end).some(isFinalReply) ? [] : lastUserMessages(messages);
}

/**
 * The position of the first of `said` in a journal's conversation, counted from its very first message. They are looked for
 * from the end, as the very objects that they are: the same may have been said before. `undefined` if they aren't there.
 */
export function positionOf(journal: Journal, said: readonly Message[]): number | undefined {
  const { stored, added: since } = journal.history();
  const loaded = stored?.messages ?? [];
  const count = loaded.length + since.length;
  let left = said.length;
  for (let index = count - 1; index >= 0 && left > 0; index--) {
    const message = index < loaded.length ? loaded[index] : since[index - loaded.length];
    if (message !== said[left - 1]) continue;
    left -= 1;
    if (left === 0) return journal.position() - count + index;
  }
  return undefined;
}
