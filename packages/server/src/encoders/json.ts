import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/engine";
import { HttpFailure, notFound } from "../http/failure.ts";
import type { TurnEnd } from "../turns/turn-event.ts";
import type { EncodedTurn, Encoder } from "./encoder.ts";

/** How a turn ended, once it has. */
export const encodeJson: Encoder = async (turn) => {
  const messages: Message[] = [];
  let end: TurnEnd | undefined;
  for await (const group of turn.events) {
    for (const { event } of group) {
      if (event.type === "message") messages.push(event.message);
      if (event.type === "turn_end") end = event;
    }
  }
  if (end === undefined) {
    if (!turn.closing.aborted) throw notFound();
    // The same request again would say the same twice.
    throw new HttpFailure("unavailable", "The turn goes on, but this server ends. Follow its events.", {
      ...{ conversationId: turn.conversationId, turnId: turn.turnId },
      ...{ retryable: false, isExpected: true },
    });
  }
  return Response.json({ success: true, data: answerOf(turn, messages, end) });
};

function answerOf(
  { conversationId, turnId }: EncodedTurn,
  messages: readonly Message[],
  { type: _, interruptions = [], ...end }: TurnEnd,
) {
  const last = messages.at(-1);
  const text = last === undefined ? "" : messageText(last);
  return { conversationId, turnId, text, messages, interruptions, ...end };
}
