const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = ": keep-alive\n\n";

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // nginx would gather the events.
  "x-accel-buffering": "no",
} as const;

interface StreamOptions {
  /** The reader has gone before the end. */
  readonly onLeave: () => void;
}

/**
 * The bytes of a stream of server-sent events: each text as soon as the reader takes it, so that a slow one holds only its own
 * stream up. In a pause, a comment keeps proxies from closing the connection.
 */
export function eventStream(
  texts: AsyncIterable<string>,
  { onLeave }: StreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = texts[Symbol.asyncIterator]();
  let timer: ReturnType<typeof setInterval> | undefined;
  const end = (): void => clearInterval(timer);
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
        controller.error(thrown);
      }
    },
    cancel: async () => {
      end();
      onLeave();
      await iterator.return?.();
    },
  });
}
