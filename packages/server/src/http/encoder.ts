import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import type { TurnEnd } from "../turns/turn-event.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import { HttpFailure, notFound } from "./failure.ts";

/** A turn, to be shown to a client in some protocol. */
export interface EncodedTurn {
  readonly conversationId: string;
  readonly turnId: string;
  /** Groups of events as they are stored, to the end of the turn, or until the server ends the connection. */
  readonly events: AsyncIterable<readonly NumberedEvent[]>;
  /** Aborted when the server ends. If the events end early without that, the turn is gone. */
  readonly closing: AbortSignal;
  /** The client is gone: it was told nothing more. */
  readonly onLeave: () => void;
  /** Told what failed while the answer was sent. */
  readonly onError: (thrown: unknown) => void;
  /** Breaks the connection off. Absent: the stream of an answer that fails does. */
  readonly cutOff?: (() => void) | undefined;
}

/** Turns the events of a turn into an answer of one protocol. A protocol is one function. */
export type Encoder = (turn: EncodedTurn) => Response | Promise<Response>;

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
