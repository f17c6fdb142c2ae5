import { McpFailure } from "./failure.ts";

type Fetch = typeof globalThis.fetch;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Returns a `fetch` whose responses fail when a message exceeds the limit: the whole body, or one event of a stream of
 * server-sent events.
 */
export const boundedFetch =
  (fetch: Fetch, maxBytes: number): Fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    const bounded = new Response(body.pipeThrough(countingStream(maxBytes, isStream)), {
      status,
      statusText,
      headers,
    });
    // A response that is made has no address, and the client compares it to detect redirects.
    Object.defineProperty(bounded, "url", { value: response.url });
    Object.defineProperty(bounded, "redirected", { value: response.redirected });
    return bounded;
  };

function countingStream(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  /** Whether the last byte ended a line. An empty line ends an event. */
  let lineEnded = false;
  return new TransformStream({
    transform(chunk, controller) {
      if (!isStream) bytes += chunk.length;
      else
        for (const byte of chunk) {
          bytes += 1;
          if (byte === CARRIAGE_RETURN) continue;
          if (byte === LINE_FEED && lineEnded) bytes = 0;
          lineEnded = byte === LINE_FEED;
          if (bytes > maxBytes) break;
        }
      if (bytes > maxBytes) controller.error(new McpFailure({ kind: "invalid" }));
      else controller.enqueue(chunk);
    },
  });
}
