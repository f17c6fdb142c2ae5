import type { NumberedEvent } from "../turns/turn-service.ts";
import type { EncodedTurn, Encoder } from "./encoder.ts";

const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = ": keep-alive\n\n";

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // Prevents nginx from buffering events.
  "x-accel-buffering": "no",
} as const;

/** The functions that the stream calls when the client disconnects or when sending fails; see {@link EncodedTurn}. */
type StreamOptions = Pick<EncodedTurn, "onLeave" | "onError" | "cutOff">;

/**
 * Thrown if the stream of events ends before the turn, because the server closes, or the turn was erased or has
 * expired. The server doesn't report this error to the application.
 */
export class BrokenOffError extends Error {
  override readonly name = "BrokenOffError";
}

/** How the groups of a stream become its text. */
export interface StreamFormat<Group> {
  /** The text before the first group. Default: none. */
  readonly start?: string;
  /** Returns the text of a group. If it is empty, nothing is sent. */
  readonly textOf: (group: Group) => string;
  /** Returns the text after the last group. May throw a {@link BrokenOffError}. Default: none. */
  readonly endText?: () => string;
}

/**
 * Converts groups into a stream of server-sent events. The next group is requested only when the client can take it, so a slow client
 * delays only its own stream. A comment every 15 seconds keeps proxies from closing an idle connection.
 */
export function eventStream<Group>(
  groups: AsyncIterable<Group>,
  { start, textOf, endText }: StreamFormat<Group>,
  { onLeave, onError, cutOff }: StreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = groups[Symbol.asyncIterator]();
  let timer: ReturnType<typeof setInterval> | undefined;
  let isLeft = false;
  const end = (): void => {
    clearInterval(timer);
    onLeave();
  };
  function fail(controller: ReadableStreamDefaultController<Uint8Array>, thrown: unknown): void {
    // The stream was cancelled, and its connection may be in use for another request.
    if (isLeft) return;
    try {
      if (!(thrown instanceof BrokenOffError)) onError(thrown);
    } finally {
      // Node's server logs stream errors, so the connection is cut off instead.
      if (cutOff === undefined) controller.error(thrown);
      else cutOff();
    }
  }
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (start !== undefined) controller.enqueue(encoder.encode(start));
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(KEEP_ALIVE));
      }, KEEP_ALIVE_MS);
      // The timer must not keep the process alive.
      if (typeof timer === "object" && "unref" in timer) timer.unref();
    },
    pull: async (controller) => {
      try {
        let text = "";
        let isOver = false;
        while (text === "" && !isOver) {
          const { done = false, value } = await iterator.next();
          isOver = done;
          text = isOver ? (endText?.() ?? "") : textOf(value);
        }
        if (text !== "") controller.enqueue(encoder.encode(text));
        if (!isOver) return;
        end();
        controller.close();
      } catch (thrown) {
        end();
        fail(controller, thrown);
      }
    },
    cancel: async () => {
      isLeft = true;
      end();
      await iterator.return?.();
    },
  });
}

/** Tells clients to wait 500 ms before they reconnect. */
const RETRY = "retry: 500\n\n";
/**
 * The last line of a stream that ends before the turn, because the server closes, or the turn was erased or has
 * expired. Clients ignore this line, because it is a comment.
 */
const CUT_OFF = ": no turn_end yet\n\n";

/** Sends the events of a turn as server-sent events. The id of each event is `<turnId>:<number>`. */
export const encodeServerSentEvents: Encoder = ({ turnId, events, ...options }) => {
  let isOver = false;
  const format: StreamFormat<readonly NumberedEvent[]> = {
    start: RETRY,
    textOf: (group) => {
      let text = "";
      for (const { number, event, text: data = JSON.stringify(event) } of group) {
        text += `id: ${turnId}:${number}\nevent: ${event.type}\ndata: ${data}\n\n`;
        isOver = event.type === "turn_end";
      }
      return text;
    },
    endText: () => (isOver ? "" : CUT_OFF),
  };
  return new Response(eventStream(events, format, options), { headers: EVENT_STREAM_HEADERS });
};
