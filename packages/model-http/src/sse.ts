import { createParser } from "eventsource-parser";
import { MAX_REPLY_LENGTH } from "./body.ts";

/**
 * Yields the data of each server-sent event in a body, trimmed. Skips events without data, and an incomplete event at the
 * end of the body.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const events: string[] = [];
  const onEvent = ({ data }: { readonly data: string }): void => {
    if (data.trim() !== "") events.push(data.trim());
  };
  const parser = createParser({ maxBufferSize: MAX_REPLY_LENGTH, onEvent });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let endsInReturn = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A carriage return alone ends a line, but the parser waits for a line feed after it.
      if (done && endsInReturn) parser.feed("\n");
      const text = decoder.decode(value, { stream: true });
      parser.feed(text);
      yield* events.splice(0);
      if (done) return;
      if (text !== "") endsInReturn = text.endsWith("\r");
    }
  } finally {
    // Rejects for a failed stream, and does nothing for an ended one.
    reader.cancel().catch(() => {});
  }
}
