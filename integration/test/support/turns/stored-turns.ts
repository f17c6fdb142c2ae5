import { isDeepStrictEqual } from "node:util";
import type { Message } from "@jaf/memory";
import { messagesOf, planOf, type TurnPlan } from "./plan.ts";

/** A turn as it is stored. */
export interface StoredTurn extends TurnPlan {
  /** Whether all its messages are stored, not only the first ones. */
  readonly whole: boolean;
}

/** The number of consecutive, unchanged messages of the turn from this index on. */
function countFrom(messages: readonly Message[], start: number, plan: TurnPlan): number {
  const expected = messagesOf(plan);
  const end = expected.findIndex((message, index) => !isDeepStrictEqual(messages[start + index], message));
  return end === -1 ? expected.length : end;
}

/** The turns in stored order, and each message that is out of place. */
export function readTurns(messages: readonly Message[]) {
  const turns: StoredTurn[] = [];
  const problems: string[] = [];
  for (let index = 0; index < messages.length; ) {
    const message = messages[index];
    const plan = message === undefined ? undefined : planOf(message);
    const count = plan === undefined ? 0 : countFrom(messages, index, plan);
    if (plan === undefined || count === 0) problems.push(`message ${index} is out of place`);
    else turns.push({ ...plan, whole: count === messagesOf(plan).length });
    index += Math.max(1, count);
  }
  return { turns, problems };
}
