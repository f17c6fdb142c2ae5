export interface ServerSentEvent {
  readonly id: string | undefined;
  /** The event's type. Default `"message"`. */
  readonly event: string;
  readonly data: string;
}

const LINE_END = /\r\n|\n|\r/;

/**
 * Yields the events of a `text/event-stream`, without an incomplete event at the end. Calls `heard` whenever bytes
 * arrive.
 */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  heard: () => void = () => {},
): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let fields = noFields();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      rest += decoder.decode(value, { stream: true });
      // A CR at the end may be half of a CR LF.
      const held = rest.endsWith("\r") ? "\r" : "";
      const lines = rest.slice(0, rest.length - held.length).split(LINE_END);
      rest = `${lines.pop() ?? ""}${held}`;
      for (const line of lines) {
        if (line !== "") {
          addField(fields, line);
          continue;
        }
        const { id, event, data } = fields;
        fields = noFields();
        if (data.length > 0) yield { id, event, data: data.join("\n") };
      }
    }
  } finally {
    await reader.cancel().catch(() => {}); // The connection may have failed.
  }
}

interface Fields {
  id: string | undefined;
  event: string;
  data: string[];
}

const noFields = (): Fields => ({ id: undefined, event: "message", data: [] });

function addField(fields: Fields, line: string): void {
  const colon = line.indexOf(":");
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (name === "data") fields.data.push(value);
  else if (name === "event") fields.event = value;
  else if (name === "id") fields.id = value;
}
