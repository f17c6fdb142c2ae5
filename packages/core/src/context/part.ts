import type { Message } from "@jaf/memory";
import { type PlacedHistory, positionAt } from "./history.ts";

/** Some of a history's messages, by index. */
export interface Part {
  /** From here on all of them. */
  readonly start: number;
  /** And of those before: calls that got a result later, each with all its results. In order. */
  readonly late: readonly number[];
}

/**
 * What was said behind a position. A call and its results are where the last of them is stored, though the sanitizer has
 * moved it: a result that comes when its call is long summarised is in no summary.
 */
export function partBehind(history: PlacedHistory, position: number): Part {
  const { messages, first } = history;
  if (position < first) return { start: 0, late: [] };
  const isBehind = (index: number) => positionAt(history, index) > position;
  const found = messages.findIndex(({ role }, index) => role !== "tool" && isBehind(index));
  const start = found === -1 ? messages.length : found;
  const late: number[] = [];
  let call = 0;
  for (let index = 0; index < start; index++) {
    if (messages[index]?.role !== "tool") call = index;
    else if (isBehind(index) && (late.at(-1) ?? -1) < call) {
      late.push(call);
      for (let result = call + 1; messages[result]?.role === "tool"; result++) late.push(result);
    }
  }
  return { start, late };
}

/** What there is to see where there is no summary. */
export function wholePart({ messages, first }: PlacedHistory): Part {
  // What is left of a turn whose beginning the store has dropped: nobody can tell what it was about.
  const user = first === 0 ? 0 : messages.findIndex(({ role }) => role === "user");
  return { start: Math.max(0, user), late: [] };
}

export function messagesOf({ messages }: PlacedHistory, { start, late }: Part): readonly Message[] {
  const behind = start === 0 ? messages : messages.slice(start);
  return late.length === 0 ? behind : [...late.flatMap((index) => messages[index] ?? []), ...behind];
}

/** Which message of the part each message of the history is; -1 where it isn't in it. */
export function indexIn({ start, late }: Part): (index: number) => number {
  const early = new Map(late.map((index, at) => [index, at]));
  return (index) => (index >= start ? late.length + index - start : (early.get(index) ?? -1));
}

/** Which message of the history each message of the part is. */
export const indexFrom =
  ({ start, late }: Part): ((index: number) => number) =>
  (index) =>
    index < late.length ? (late[index] ?? 0) : start + index - late.length;
