import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import type { TurnEnd } from "../turns/turn-event.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import { HttpFailure, notFound } from "./failure.ts";

/** A turn that an {@link Encoder} sends to a client. */
export interface EncodedTurn {
  readonly conversationId: string;
  readonly turnId: string;
  /**
   * The turn's events, in groups, once they are stored. The groups end with the turn, or when the server closes the connection.
   */
  readonly events: AsyncIterable<readonly NumberedEvent[]>;
  /** Aborted when the server closes. If the events end early and this signal isn't aborted, the turn was erased or has expired. */
  readonly closing: AbortSignal;
  /** The encoder must call this function when the client disconnects. */
  readonly onLeave: () => void;
  /** The encoder must call this function with each error that occurs while the response is sent. */
  readonly onError: (thrown: unknown) => void;
  /** Cuts the connection to the client off. If absent, the encoder must instead let the response stream fail with an error. */
  readonly cutOff?: (() => void) | undefined;
}

/** Converts the events of a turn into an HTTP response in one protocol, e.g. server-sent events. */
export type Encoder = (turn: EncodedTurn) => Response | Promise<Response>;

/** Waits for the end of a turn, and responds with the turn's result as JSON. */
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
    // Not retryable: the same request would send the message twice.
    throw new HttpFailure(
      "unavailable",
      "The server is shutting down. The turn continues: follow its events.",
      {
        ...{ conversationId: turn.conversationId, turnId: turn.turnId },
        ...{ retryable: false, isExpected: true },
      },
    );
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
