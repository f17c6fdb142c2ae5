import type { Message, RichMessage } from "@jaf/memory";

/**
 * Which message of `source` each message of `shaped` is, by index. `shaped` is what the sanitizer made of `source`, and
 * what was said since, which counts on from the end of `source`. Linear.
 */
export function placesIn(source: readonly Message[], shaped: readonly Message[]): Int32Array {
  const take = openIndex(source);
  const places = new Int32Array(shaped.length);
  let unseen = source.length;
  /** Behind the last message that is no tool result: those keep their order. */
  let next = 0;
  for (let index = 0; index < shaped.length; index++) {
    const message = shaped[index];
    if (message === undefined) continue;
    let place = take(message);
    if (place === -1 && message.role !== "tool") {
      place = indexOfOriginal(message, source, next);
      next = place === -1 ? source.length : next;
    }
    if (place === -1) {
      place = unseen;
      unseen += 1;
    } else if (message.role !== "tool") next = place + 1;
    places[index] = place;
  }
  return places;
}

/** Finds the same objects, those that stand there twice in their order; -1 for another. */
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

/** With its calls, a message loses their places between its parts. */
function isContentOf({ content }: RichMessage, { content: original }: RichMessage): boolean {
  if (!Array.isArray(content) || !Array.isArray(original)) return content === original;
  let next = 0;
  for (const part of original) if (part === content[next]) next += 1;
  return next === content.length;
}

const attachmentsOf = (message: Message): unknown =>
  "attachments" in message ? message.attachments : undefined;
