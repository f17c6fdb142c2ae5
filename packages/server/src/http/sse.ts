import type { NumberedEvent } from "../turns/turn-service.ts";
import type { EncodedTurn, Encoder } from "./encoder.ts";

const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = ": keep-alive\n\n";

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // nginx would gather the events.
  "x-accel-buffering": "no",
} as const;

/** See {@link EncodedTurn}. */
type StreamOptions = Pick<EncodedTurn, "onLeave" | "onError" | "cutOff">;

/** The texts end before what they tell of. No failure: the server ends, or what they told of is gone. */
export class BrokenOffError extends Error {
  override readonly name = "BrokenOffError";
}

/**
 * The bytes of a stream of server-sent events: each text as soon as the reader takes it, so that a slow one holds only its own
 * stream up. In a pause, a comment keeps proxies from closing the connection.
 */
export function eventStream(
  texts: AsyncIterable<string>,
  { onLeave, onError, cutOff }: StreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = texts[Symbol.asyncIterator]();
  let timer: ReturnType<typeof setInterval> | undefined;
  let isLeft = false;
  const end = (): void => clearInterval(timer);
  function fail(controller: ReadableStreamDefaultController<Uint8Array>, thrown: unknown): void {
    // The stream is cancelled, and its connection may be in use.
    if (isLeft) return;
    try {
      if (!(thrown instanceof BrokenOffError)) onError(thrown);
    } finally {
      // Node's server logs the error of a stream by itself.
      if (cutOff === undefined) controller.error(thrown);
      else cutOff();
    }
  }
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(KEEP_ALIVE));
      }, KEEP_ALIVE_MS);
      // A server that ends doesn't wait for it.
      if (typeof timer === "object" && "unref" in timer) timer.unref();
    },
    pull: async (controller) => {
      try {
        const { done, value } = await iterator.next();
        if (done === true) {
          end();
          controller.close();
        } else controller.enqueue(encoder.encode(value));
      } catch (thrown) {
        end();
        fail(controller, thrown);
      }
    },
    cancel: async () => {
      isLeft = true;
      end();
      onLeave();
      await iterator.return?.();
    },
  });
}

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
