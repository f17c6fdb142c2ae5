import type { NumberedEvent } from "@jaf/server";

/** Yields a turn's server-sent events until the connection ends. Rejects if the connection breaks. */
export async function* readEvents(response: Response): AsyncGenerator<NumberedEvent> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const event = parseEvent(text.slice(0, end));
      text = text.slice(end + 2);
      if (event !== undefined) yield event;
    }
  }
}

function parseEvent(block: string): NumberedEvent | undefined {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const;
    }),
  );
  const [id, data] = [fields.get("id"), fields.get("data")];
  if (id === undefined || data === undefined) return undefined;
  return { number: Number(id.slice(id.lastIndexOf(":") + 1)), event: JSON.parse(data) };
}
