import type { NumberedEvent } from "../turns/turn-service.ts";
import type { Encoder } from "./encoder.ts";
import { EVENT_STREAM_HEADERS, eventStream } from "./event-stream.ts";

/** The client should come back so soon, in milliseconds, if the connection ends before the turn. */
const RETRY = "retry: 500\n\n";
/** The stream ends before the turn: the server closes, or the log has no more of it. */
const CUT_OFF = ": no turn_end yet\n\n";

/** JAF's own stream: an event each, whose id is the turn's id and the event's number. */
export const encodeServerSentEvents: Encoder = ({ turnId, events, ...options }) =>
  new Response(eventStream(textsOf(turnId, events), options), { headers: EVENT_STREAM_HEADERS });

async function* textsOf(
  turnId: string,
  groups: AsyncIterable<readonly NumberedEvent[]>,
): AsyncGenerator<string> {
  yield RETRY;
  let isOver = false;
  for await (const group of groups) {
    yield group
      .map(
        ({ number, event, text }) =>
          `id: ${turnId}:${number}\nevent: ${event.type}\ndata: ${text ?? JSON.stringify(event)}\n\n`,
      )
      .join("");
    isOver = group.some(({ event }) => event.type === "turn_end");
  }
  if (!isOver) yield CUT_OFF;
}
