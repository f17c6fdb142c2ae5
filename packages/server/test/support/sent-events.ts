/** An event as received over the connection. */
export interface SentEvent {
  readonly turnId: string;
  readonly number: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the turn says
  readonly event: any;
}

/**
 * Reads the events of a response up to its end or to `most` events. Then the connection is closed, as by a client that leaves.
 */
export async function readSentEvents(
  response: Response,
  most = Number.POSITIVE_INFINITY,
): Promise<SentEvent[]> {
  const events: SentEvent[] = [];
  for await (const event of sentEvents(response)) {
    events.push(event);
    if (events.length >= most) break;
  }
  return events;
}

/** Yields the same events as they arrive. */
export async function* sentEvents(response: Response): AsyncGenerator<SentEvent> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let text = "";
  // Leaving the loop cancels the body, which closes the connection.
  for await (const bytes of response.body) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const event = parseBlock(text.slice(0, end));
      text = text.slice(end + 2);
      if (event !== undefined) yield event;
    }
  }
}

function parseBlock(block: string): SentEvent | undefined {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const [id, data] = [fields.get("id"), fields.get("data")];
  if (id === undefined || data === undefined) return undefined;
  const colon = id.lastIndexOf(":");
  return { turnId: id.slice(0, colon), number: Number(id.slice(colon + 1)), event: JSON.parse(data) };
}
