import type { Message } from "@jaf/memory";
import { calledTool, messageText } from "@jaf/memory/engine";
import { type PositionedHistory, positionAt } from "./history.ts";

/** The most text that one summary is made of, in UTF-16 units, unless a single turn is longer. */
export const MAX_INPUT = 100_000;

export interface CutInput {
  readonly history: PositionedHistory;
  /** Index of the first message that isn't summarised. */
  readonly start: number;
  /** How many messages may go unsummarised. */
  readonly threshold: number;
  /** The position after the last message that was stored when the run began: later ones aren't summarised. */
  readonly end: number;
}

/**
 * Index of the first message that stays when the older ones are summarised, a user message; `undefined` if nothing is to
 * be summarised. At least half of the threshold stays, as far as turns allow it, and not more than the threshold, unless
 * the last turn is longer.
 */
export function cutOf({ history, start, threshold, end }: CutInput): number | undefined {
  const { messages } = history;
  if (messages.length - start <= threshold) return undefined;
  const target = messages.length - Math.ceil(threshold / 2);
  let cut: number | undefined;
  let size = 0;
  for (let index = start; index < messages.length; index++) {
    const message = messages[index];
    if (message?.role === "user" && index > start) {
      const leavesEnough = cut !== undefined && messages.length - cut <= threshold;
      if (index > target && leavesEnough) break;
      // The message before must be stored: its position is the last that is summarised.
      if (positionAt(history, index) > end || (cut !== undefined && size > MAX_INPUT)) break;
      cut = index;
      if (index >= target) break;
    }
    size += message === undefined ? 0 : sizeOf(message);
  }
  return cut;
}

const sizeOf = (message: Message): number =>
  (message.tool_calls ?? []).reduce((sum, call) => sum + calledTool(call).input.length, 0) +
  messageText(message).length;
