import type { Message } from "@jaf/memory";
import type { Journal } from "./journal.ts";
import { isFinalReply } from "./new-messages.ts";

/** Returns the last consecutive user messages, whatever follows them (e.g. a reply). */
export function lastUserMessages(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(({ role }) => role === "user") + 1;
  const before = messages.findLastIndex(({ role }, index) => index < end && role !== "user");
  return messages.slice(before + 1, end);
}

/** Returns the last consecutive user messages; an empty list if a final reply follows them. */
export function unansweredUserMessages(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(({ role }) => role === "user") + 1;
  return messages.slice(end).some(isFinalReply) ? [] : lastUserMessages(messages);
}

/**
 * Returns the position of the first of `messages` in the journal's conversation; `undefined` if they aren't in it.
 * Compares message objects, because an earlier message can be equal.
 */
export function positionOfMessages(journal: Journal, messages: readonly Message[]): number | undefined {
  const { stored, added: since } = journal.history();
  const loaded = stored?.messages ?? [];
  const count = loaded.length + since.length;
  let left = messages.length;
  for (let index = count - 1; index >= 0 && left > 0; index--) {
    const message = index < loaded.length ? loaded[index] : since[index - loaded.length];
    if (message !== messages[left - 1]) continue;
    left -= 1;
    if (left === 0) return journal.position() - count + index;
  }
  return undefined;
}
