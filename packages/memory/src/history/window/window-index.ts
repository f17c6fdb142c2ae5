import type { Message, RichMessage } from "../../contract/message.ts";
import { isReasoningAlone } from "../messages/message-content.ts";

export const USER = 0;
/** Any other message that may be the first of what is kept, with what belongs to it right behind it. */
export const GROUP = 1;
/** A tool result, or the message whose reasoning stands before it in a message of its own. */
export const RESULT = 2;
export const SYSTEM = 3;

/** What a window needs to know of a history, by message index. */
export interface WindowIndex {
  readonly size: number;
  /** `USER`, `GROUP`, `RESULT` or `SYSTEM`. */
  readonly kinds: Uint8Array;
  readonly costs: Float64Array;
  /** What the messages before an index cost, other than system content. One more than there are messages. */
  readonly costBefore: Float64Array;
  /** The same of system content. */
  readonly systemCostBefore: Float64Array;
  /** The user message at or before an index, -1 if there is none. One more than there are messages. */
  readonly lastUserAt: Int32Array;
  /** The first user message behind an index; the number of messages if there is none. */
  readonly nextUserAfter: Int32Array;
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

export function createWindowIndex(
  messages: readonly AnyMessage[],
  costOf: (message: AnyMessage) => number,
): WindowIndex {
  const size = messages.length;
  const windowIndex = {
    size,
    kinds: new Uint8Array(size),
    costs: new Float64Array(size),
    costBefore: new Float64Array(size + 1),
    systemCostBefore: new Float64Array(size + 1),
    lastUserAt: new Int32Array(size + 1).fill(-1),
    nextUserAfter: new Int32Array(size).fill(size),
  };
  const { kinds, costs, costBefore, systemCostBefore, lastUserAt, nextUserAfter } = windowIndex;
  for (const [index, message] of messages.entries()) {
    const kind = kindOf(message, messages[index - 1]);
    const cost = costOf(message);
    kinds[index] = kind;
    costs[index] = cost;
    costBefore[index + 1] = (costBefore[index] ?? 0) + (kind === SYSTEM ? 0 : cost);
    systemCostBefore[index + 1] = (systemCostBefore[index] ?? 0) + (kind === SYSTEM ? cost : 0);
    lastUserAt[index] = kind === USER ? index : (lastUserAt[index - 1] ?? -1);
  }
  lastUserAt[size] = lastUserAt[size - 1] ?? -1;
  for (let index = size - 2; index >= 0; index--) {
    nextUserAfter[index] = kinds[index + 1] === USER ? index + 1 : (nextUserAfter[index + 1] ?? size);
  }
  return windowIndex;
}

/** The user message that is kept although the window starts behind it, in its turn; -1 if there is none. */
export const pinnedUserMessage = ({ kinds, lastUserAt }: WindowIndex, start: number): number =>
  kinds[start] === USER ? -1 : (lastUserAt[start] ?? -1);

/** What a window costs that starts at an index, over the messages before `end`. All system content is kept. */
export function windowCost(windowIndex: WindowIndex, start: number, end: number): number {
  const { costBefore, systemCostBefore, costs } = windowIndex;
  const pinned = costs[pinnedUserMessage(windowIndex, start)] ?? 0;
  return (systemCostBefore[end] ?? 0) + (costBefore[end] ?? 0) - (costBefore[start] ?? 0) + pinned;
}
