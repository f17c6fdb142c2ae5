import type { Message, RichMessage } from "../../contract/message.ts";
import { isReasoningAlone } from "../messages/message-content.ts";

export const USER = 0;
/**
 * The kind of a message that isn't a user message, but can be the first message of a window (e.g. an assistant message
 * with tool calls).
 */
export const GROUP = 1;
/**
 * The kind of a message that can't be the first one of a window: a tool result, or a reply to separate reasoning before
 * it.
 */
export const RESULT = 2;
export const SYSTEM = 3;

/** What must be known about the messages of a history to compute its window. Each array is indexed by message. */
export interface WindowIndex {
  readonly size: number;
  /** The kind of each message: `USER`, `GROUP`, `RESULT` or `SYSTEM`. */
  readonly kinds: Uint8Array;
  readonly costs: Float64Array;
  /**
   * For each index, the cost of all messages before the index, without system messages. The array has one item more
   * than there are messages.
   */
  readonly costBefore: Float64Array;
  /**
   * For each index, the cost of all system messages before the index. The array has one item more than there are
   * messages.
   */
  readonly systemCostBefore: Float64Array;
  /**
   * For each index, the index of the last user message at or before it, or -1. The array has one item more than there
   * are messages.
   */
  readonly lastUserAt: Int32Array;
  /**
   * For each index, the index of the first user message after it, or the number of messages if no user message follows.
   */
  readonly nextUserAfter: Int32Array;
}

type AnyMessage = Message | RichMessage;

function kindOf(message: AnyMessage, before: AnyMessage | undefined): number {
  const role: string = message.role;
  if (role === "user") return USER;
  if (role === "tool") return RESULT;
  // Roles of other frameworks. Newer models of OpenAI use "developer" instead of "system".
  if (role === "system" || role === "developer") return SYSTEM;
  return before !== undefined && isReasoningFor(before) ? RESULT : GROUP;
}

/** Whether the message only contains reasoning for the message after it. */
const isReasoningFor = (message: AnyMessage): boolean =>
  // Other frameworks store reasoning separately like this.
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

/**
 * Returns the index of the user message of the turn in which a window starts. Returns -1 if the window starts with a
 * user message, or if there is none before `start`.
 */
export const pinnedUserMessage = ({ kinds, lastUserAt }: WindowIndex, start: number): number =>
  // The window keeps this user message.
  kinds[start] === USER ? -1 : (lastUserAt[start] ?? -1);

/**
 * Returns the cost of the window from `start` to before `end`, including system messages and the pinned user message.
 */
export function windowCost(windowIndex: WindowIndex, start: number, end: number): number {
  const { costBefore, systemCostBefore, costs } = windowIndex;
  const pinned = costs[pinnedUserMessage(windowIndex, start)] ?? 0;
  return (systemCostBefore[end] ?? 0) + (costBefore[end] ?? 0) - (costBefore[start] ?? 0) + pinned;
}
