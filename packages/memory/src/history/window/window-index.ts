import type { Message, RichMessage } from "../../contract/message.ts";
import { isReasoningAlone } from "../messages/message-content.ts";

export const USER = 0;
/** Any other message that may be the first of what is kept, with what belongs to it right behind it. */
export const GROUP = 1;
/** A tool result, or the message whose reasoning stands before it in a message of its own. */
export const RESULT = 2;
export const SYSTEM = 3;

/** What a window needs to know of a history, by message index. */
export interface Outline {
  readonly size: number;
  /** `USER`, `GROUP`, `RESULT` or `SYSTEM`. */
  readonly kinds: Uint8Array;
  readonly costs: Float64Array;
  /** What the messages before an index cost, other than system content. One more than there are messages. */
  readonly before: Float64Array;
  /** The same of system content. */
  readonly systemBefore: Float64Array;
  /** The user message at or before an index, -1 if there is none. One more than there are messages. */
  readonly turns: Int32Array;
  /** The first user message behind an index; the number of messages if there is none. */
  readonly nextTurns: Int32Array;
}

type AnyMessage = Message | RichMessage;

function kindOf(message: AnyMessage, before: AnyMessage | undefined): number {
  const role: string = message.role;
  if (role === "user") return USER;
  if (role === "tool") return RESULT;
  // Messages of other frameworks; the newer models of OpenAI call it "developer".
  if (role === "system" || role === "developer") return SYSTEM;
  return before !== undefined && isReasoningFor(before) ? RESULT : GROUP;
}

/** Whether what was thought stands by itself, as other frameworks keep it: the message behind is what it led to. */
const isReasoningFor = (message: AnyMessage): boolean =>
  message.role === "assistant" && message.tool_calls === undefined && isReasoningAlone(message);

export function outlineOf(messages: readonly AnyMessage[], costOf: (message: AnyMessage) => number): Outline {
  const size = messages.length;
  const outline = {
    size,
    kinds: new Uint8Array(size),
    costs: new Float64Array(size),
    before: new Float64Array(size + 1),
    systemBefore: new Float64Array(size + 1),
    turns: new Int32Array(size + 1).fill(-1),
    nextTurns: new Int32Array(size).fill(size),
  };
  const { kinds, costs, before, systemBefore, turns, nextTurns } = outline;
  for (const [index, message] of messages.entries()) {
    const kind = kindOf(message, messages[index - 1]);
    const cost = costOf(message);
    kinds[index] = kind;
    costs[index] = cost;
    before[index + 1] = (before[index] ?? 0) + (kind === SYSTEM ? 0 : cost);
    systemBefore[index + 1] = (systemBefore[index] ?? 0) + (kind === SYSTEM ? cost : 0);
    turns[index] = kind === USER ? index : (turns[index - 1] ?? -1);
  }
  turns[size] = turns[size - 1] ?? -1;
  for (let index = size - 2; index >= 0; index--) {
    nextTurns[index] = kinds[index + 1] === USER ? index + 1 : (nextTurns[index + 1] ?? size);
  }
  return outline;
}

/** The user message that is kept although the window starts behind it, in its turn; -1 if there is none. */
export const pinnedBefore = ({ kinds, turns }: Outline, start: number): number =>
  kinds[start] === USER ? -1 : (turns[start] ?? -1);

/** What a window costs that starts at an index, over the messages before `end`. All system content is kept. */
export function windowCost(outline: Outline, start: number, end: number): number {
  const { before, systemBefore, costs } = outline;
  const pinned = costs[pinnedBefore(outline, start)] ?? 0;
  return (systemBefore[end] ?? 0) + (before[end] ?? 0) - (before[start] ?? 0) + pinned;
}
