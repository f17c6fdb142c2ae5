import type { Message, RichMessage } from "../../contract/message.ts";
import { isReasoningAlone } from "../messages/message-content.ts";

export const USER = 0;
/** Any other message that can be the first of a window, with the messages that belong to it directly after it. */
export const GROUP = 1;
/** A tool result, or a message with its reasoning in a separate message before it. */
export const RESULT = 2;
export const SYSTEM = 3;

/** The data of a history that a window needs, by message index. */
export interface WindowIndex {
  readonly size: number;
  /** `USER`, `GROUP`, `RESULT` or `SYSTEM`. */
  readonly kinds: Uint8Array;
  readonly costs: Float64Array;
  /** The cost of all messages before an index, without system content. Has one more entry than there are messages. */
  readonly costBefore: Float64Array;
  /** The same for system content. */
  readonly systemCostBefore: Float64Array;
  /** The last user message at or before an index, or -1. Has one more entry than there are messages. */
  readonly lastUserAt: Int32Array;
  /** The first user message after an index, or the number of messages. */
  readonly nextUserAfter: Int32Array;
}

type AnyMessage = Message | RichMessage;

function kindOf(message: AnyMessage, before: AnyMessage | undefined): number {
  const role: string = message.role;
  if (role === "user") return USER;
  if (role === "tool") return RESULT;
  // Roles of other frameworks. OpenAI's newer models use "developer".
  if (role === "system" || role === "developer") return SYSTEM;
  return before !== undefined && isReasoningFor(before) ? RESULT : GROUP;
}

/** Whether the message is separate reasoning, as other frameworks store it, for the message after it. */
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

/** Returns the user message of the turn if the window starts after it but keeps it; otherwise -1. */
export const pinnedUserMessage = ({ kinds, lastUserAt }: WindowIndex, start: number): number =>
  kinds[start] === USER ? -1 : (lastUserAt[start] ?? -1);

/** Returns the cost of a window from `start` over the messages before `end`. All system content is kept. */
export function windowCost(windowIndex: WindowIndex, start: number, end: number): number {
  const { costBefore, systemCostBefore, costs } = windowIndex;
  const pinned = costs[pinnedUserMessage(windowIndex, start)] ?? 0;
  return (systemCostBefore[end] ?? 0) + (costBefore[end] ?? 0) - (costBefore[start] ?? 0) + pinned;
}
