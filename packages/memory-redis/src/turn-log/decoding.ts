import type { LoggedTurn, TurnState } from "@jaf/memory";
import { list, number, text } from "../decoding.ts";

/** As the scripts' `head` gives it; `undefined`: there is no such turn. */
export function toTurn(reply: unknown): LoggedTurn | undefined {
  const [conversationId, userId, turnId, state, started, count, stop, record] = list(reply);
  if (conversationId == null) return undefined;
  return {
    conversationId: text(conversationId),
    userId: text(userId),
    turnId: text(turnId),
    state: text(state) as TurnState,
    startedAt: new Date(Math.floor(number(started) / 1_000)),
    events: number(count),
    stopRequested: number(stop) === 1,
    ...(record == null ? {} : { record: text(record) }),
  };
}

export const toTurns = (reply: unknown): readonly LoggedTurn[] =>
  list(reply)
    .map(toTurn)
    .filter((turn) => turn !== undefined);
