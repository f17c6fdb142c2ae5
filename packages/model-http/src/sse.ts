import { createParser } from "eventsource-parser";
import { MAX_REPLY_LENGTH } from "./body.ts";
import { errorIn } from "./errors.ts";
import { parseJson } from "./fields.ts";

/**
 * Yields the data of each server-sent event in a body, trimmed. Skips events without data, and an incomplete event at the
 * end of the body. An error that the service writes behind the events, as JSON without `data:`, is the last event.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const events: string[] = [];
  const onEvent = ({ data }: { readonly data: string }): void => {
    if (data.trim() !== "") events.push(data.trim());
  };
  /** The lines that aren't fields of an event. */
  let others = "";
  const onError = ({ line = "" }: { readonly line?: string | undefined }): void => {
    others += line;
  };
  const parser = createParser({ maxBufferSize: MAX_REPLY_LENGTH, onEvent, onError });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let isInLine = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // The last line may have no end. A carriage return alone is one, but the parser waits for a line feed after it.
      if (done && isInLine) parser.feed("\n");
      const text = decoder.decode(value, { stream: true });
      parser.feed(text);
      yield* events.splice(0);
      if (done) break;
      if (text !== "") isInLine = !text.endsWith("\n");
    }
    if (errorIn(parseJson(others)) !== undefined) yield others;
  } finally {
    // Rejects for a failed stream, and does nothing for an ended one.
    reader.cancel().catch(() => {});
  }
}
