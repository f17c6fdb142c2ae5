import { createParser } from "eventsource-parser";

/** A single event of more characters than this is none that an endpoint sends: a generated image is a tenth of it. */
const MAX_EVENT_LENGTH = 256 * 2 ** 20;

/** The data of each event of a stream. An event that the stream's end cuts off isn't told. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const events: string[] = [];
  const parser = createParser({ maxBufferSize: MAX_EVENT_LENGTH, onEvent: ({ data }) => events.push(data) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let endsInReturn = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A carriage return ends a line by itself. The parser waits for a line feed behind it, which won't come after the end.
      if (done && endsInReturn) parser.feed("\n");
      const text = decoder.decode(value, { stream: true });
      parser.feed(text);
      yield* events.splice(0);
      if (done) return;
      if (text !== "") endsInReturn = text.endsWith("\r");
    }
  } finally {
    // Of a stream that has failed it rejects, and of one that has ended it does nothing.
    reader.cancel().catch(() => {});
  }
}
