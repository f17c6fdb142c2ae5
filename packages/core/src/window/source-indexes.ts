import type { Message, RichMessage } from "@jaf/memory";

/**
 * For each message of `shaped` its index in `source`. `shaped` is what the sanitizer made of `source`, followed by messages
 * that were added since, which count on from the end of `source`. Takes linear time.
 */
export function sourceIndexesOf(source: readonly Message[], shaped: readonly Message[]): Int32Array {
  const take = openIndex(source);
  const sourceIndexes = new Int32Array(shaped.length);
  let unseen = source.length;
  /** The index after the last message that is no tool result: such messages keep their order. */
  let next = 0;
  for (let index = 0; index < shaped.length; index++) {
    const message = shaped[index];
    if (message === undefined) continue;
    let at = take(message);
    if (at === -1 && message.role !== "tool") {
      at = indexOfOriginal(message, source, next);
      next = at === -1 ? source.length : next;
    }
    if (at === -1) {
      at = unseen;
      unseen += 1;
    } else if (message.role !== "tool") next = at + 1;
    sourceIndexes[index] = at;
  }
  return sourceIndexes;
}

/** Finds the index of an object; of one that occurs several times, one after the other. -1: it isn't there. */
function openIndex(source: readonly Message[]): (message: Message) => number {
  const first = new Map<Message, number>();
  const again = new Int32Array(source.length);
  for (let index = source.length - 1; index >= 0; index--) {
    const message = source[index];
    if (message === undefined) continue;
    again[index] = first.get(message) ?? -1;
    first.set(message, index);
  }
  return (message) => {
    const index = first.get(message) ?? -1;
    if (index !== -1) first.set(message, again[index] ?? -1);
    return index;
  };
}

function indexOfOriginal(copy: Message, source: readonly Message[], from: number): number {
  for (let index = from; index < source.length; index++) {
    const original = source[index];
    if (original !== undefined && isCopy(copy, original)) return index;
  }
  return -1;
}

/** Whether the sanitizer can have made it of the original by leaving calls out: what it keeps are the same objects. */
function isCopy(copy: Message, original: Message): boolean {
  if (copy.role !== original.role || original.tool_calls === undefined) return false;
  const [call] = copy.tool_calls ?? [];
  if (call !== undefined) return original.tool_calls?.includes(call) === true;
  return isContentOf(copy, original) && attachmentsOf(copy) === attachmentsOf(original);
}

/** The sanitizer also removes the placeholder parts of the calls that it removes. */
function isContentOf({ content }: RichMessage, { content: original }: RichMessage): boolean {
  if (!Array.isArray(content) || !Array.isArray(original)) return content === original;
  let next = 0;
  for (const part of original) if (part === content[next]) next += 1;
  return next === content.length;
}

const attachmentsOf = (message: Message): unknown =>
  "attachments" in message ? message.attachments : undefined;
