import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import type { TurnEnd } from "../turns/turn-event.ts";
import type { EncodedTurn, Encoder } from "./encoder.ts";
import { HttpFailure, notFound } from "./failure.ts";

/**
 * Waits for the end of a turn, and responds with the turn's result as JSON. Throws an `HttpFailure` if the events end
 * without `turn_end`.
 */
export const encodeJson: Encoder = async (turn) => {
  const messages: Message[] = [];
  let end: TurnEnd | undefined;
  let isSeen = false;
  for await (const group of turn.events) {
    isSeen = true;
    for (const { event } of group) {
      if (event.type === "message") messages.push(event.message);
      if (event.type === "turn_end") end = event;
    }
  }
  turn.onLeave();
  if (end === undefined) {
    // The turn was erased or has expired.
    if (!turn.closing.aborted && isSeen) throw notFound();
    // Not retryable: the same request could send the message twice.
    throw new HttpFailure(
      "unavailable",
      turn.closing.aborted
        ? "The server is shutting down. The turn continues: follow its events."
        : "The store failed, so the turn may not have begun. Load the conversation.",
      {
        ...{ conversationId: turn.conversationId, turnId: turn.turnId },
        ...{ retryable: false, isExpected: true },
      },
    );
  }
  // `Response.json` would make a stream of the text. On Node.js, sending a stream costs more than sending a text.
  const body = JSON.stringify({ success: true, data: answerOf(turn, messages, end) });
  return new Response(body, { headers: { "content-type": "application/json" } });
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
