import type { RichMessage } from "@jaf/memory";
import { createMemoryConflictError, MemoryCallError, sameJson, thawed } from "@jaf/memory/internal";
import type { AgentInputItem, SessionHistoryMutation } from "@openai/agents-core";
import { itemsOfEach } from "./items/to-items.ts";
import { messagesOf } from "./items/to-messages.ts";

/** A change of the end of a conversation: how many messages go, and which come. */
export interface EndChange {
  readonly dropLast: number;
  readonly messages: readonly RichMessage[];
  /** For each message: the index of the message in the reading that it is, or that it is the rest of. */
  readonly from: readonly (number | undefined)[];
}

/** The change in which new messages follow after the dropped ones. */
export const replacing = (dropLast: number, messages: readonly RichMessage[]): EndChange => ({
  dropLast,
  messages,
  from: messages.map(() => undefined),
});

/** The change that drops the message at `index` and all later messages. `next`: the messages that come from each. */
function rewritten(index: number, next: readonly (readonly RichMessage[])[]): EndChange {
  const from = next.flatMap((messages, offset) =>
    // One message continues another one, so it keeps its id. It is the first one if there are several.
    messages.map((_, position) => (position === 0 ? index + offset : undefined)),
  );
  return { dropLast: next.length, messages: next.flat(), from };
}

/** Removes the last item. `undefined` if the messages have no items. */
export function popped(
  messages: readonly RichMessage[],
): { readonly end: EndChange; readonly value: AgentInputItem } | undefined {
  const items = itemsOfEach(messages);
  const index = items.findLastIndex((list) => list.length > 0);
  const value = items[index]?.at(-1);
  if (value === undefined) return undefined;
  const rest = messagesOf(items[index]?.slice(0, -1) ?? []);
  // Messages without items follow, which only other engines read.
  const later = messages.slice(index + 1).map((message) => [message]);
  return { end: rewritten(index, [rest, ...later]), value: thawed(value) };
}

/**
 * The change after which the conversation ends with exactly the messages `dropped`, with the same items as before.
 * `undefined` if it already does. Throws if the conversation doesn't end with the items of `suffix`.
 */
export function divided(
  stored: readonly RichMessage[],
  suffix: readonly AgentInputItem[],
  dropped: readonly RichMessage[],
): EndChange | undefined {
  const items = itemsOfEach(stored);
  const all = items.flat();
  const kept = all.length - suffix.length;
  if (kept < 0 || !sameJson(all.slice(kept), suffix)) {
    throw new MemoryCallError(createMemoryConflictError("version", { operation: "applyHistoryTransaction" }));
  }
  if (stored.length >= dropped.length && sameJson(stored.slice(stored.length - dropped.length), dropped))
    return undefined;
  // The first message that has items of the suffix, and how many of its items stay.
  let [index, staying] = [stored.length, -suffix.length];
  while (staying < 0) {
    index -= 1;
    staying += items[index]?.length ?? 0;
  }
  const rest = messagesOf(items[index]?.slice(0, staying) ?? []);
  const { messages, from } = rewritten(index, [rest]);
  return {
    dropLast: stored.length - index,
    messages: [...messages, ...dropped],
    from: [...from, ...dropped.map(() => undefined)],
  };
}

/** The change that replaces function calls. `undefined` if no message has these calls. */
export function mutated(
  messages: readonly RichMessage[],
  mutations: readonly SessionHistoryMutation[],
): EndChange | undefined {
  const replaced = new Set<string>();
  const replacements = new Map(mutations.map((mutation) => [mutation.callId, mutation.replacement]));
  const next = itemsOfEach(messages).map((items, index) => {
    const changed = items.flatMap((item): AgentInputItem[] => {
      const replacement = item.type === "function_call" ? replacements.get(item.callId) : undefined;
      if (replacement === undefined || item.type !== "function_call") return [item];
      // The SDK keeps one call for each id.
      if (replaced.has(item.callId)) return [];
      replaced.add(item.callId);
      return [replacement];
    });
    return sameJson(changed, items) ? messages.slice(index, index + 1) : messagesOf(changed);
  });
  const first = next.findIndex(([only, ...more], index) => only !== messages[index] || more.length > 0);
  return first === -1 ? undefined : rewritten(first, next.slice(first));
}
