import { isDeepStrictEqual } from "node:util";
import type { Message } from "@jaf/memory";
import { messagesOf, planOf, type TurnPlan } from "./plan.ts";

/** A turn as it is stored. */
export interface StoredTurn extends TurnPlan {
  /** Whether all its messages are there, rather than the first ones. */
  readonly whole: boolean;
}

/** How many messages of the turn stand there, one behind the other and as they were said. */
function countFrom(messages: readonly Message[], start: number, plan: TurnPlan): number {
  const expected = messagesOf(plan);
  const end = expected.findIndex((message, index) => !isDeepStrictEqual(messages[start + index], message));
  return end === -1 ? expected.length : end;
}

/** The turns in the order in which they are stored, and each message that isn't in its place. */
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
