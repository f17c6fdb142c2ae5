import type { NumberedEvent } from "../turns/turn-service.ts";
import type { UIMessageChunk } from "./ui-message/chunk.ts";
import { createTurnChunks, type TurnChunksOptions } from "./ui-message/turn-chunks.ts";

export interface UIMessageStreamOptions extends TurnChunksOptions {
  /** Events with smaller numbers are there already: given out as one, so that nothing that was retracted is seen. Default 0. */
  readonly known?: number;
  /** The client is gone. */
  readonly onLeave?: () => void;
  /** How long nothing is sent before a comment is, so that no proxy closes the connection. Default 15. */
  readonly keepAliveSeconds?: number;
}

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  // Of nginx: send what there is at once.
  "x-accel-buffering": "no",
};

/** The events of a turn, from the first on, as the AI SDK's UI message stream, which is for one message. */
export function uiMessageStream(
  events: AsyncIterable<readonly NumberedEvent[]>,
  { known = 0, onLeave, keepAliveSeconds = 15, ...options }: UIMessageStreamOptions,
): Response {
  const encoder = new TextEncoder();
  const lines = textsOf(chunkGroups(gathered(events, known), options))[Symbol.asyncIterator]();
  let keepAlive: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const isIdle = () => (controller.desiredSize ?? 0) > 0;
      keepAlive = setInterval(() => {
        if (isIdle()) controller.enqueue(encoder.encode(": keep-alive\n\n"));
      }, keepAliveSeconds * 1000);
    },
    pull: async (controller) => {
      const { done, value } = await lines.next();
      if (done !== true) {
        controller.enqueue(encoder.encode(value));
        return;
      }
      clearInterval(keepAlive);
      controller.close();
    },
    cancel: () => {
      clearInterval(keepAlive);
      onLeave?.();
    },
  });
  return new Response(body, { headers: HEADERS });
}

/** The events before number `known` as one group. */
async function* gathered(
  groups: AsyncIterable<readonly NumberedEvent[]>,
  known: number,
): AsyncGenerator<readonly NumberedEvent[]> {
  let waiting: NumberedEvent[] = [];
  for await (const group of groups) {
    waiting.push(...group);
    if ((waiting.at(-1)?.number ?? 0) < known - 1) continue;
    yield waiting;
    waiting = [];
  }
  if (waiting.length > 0) yield waiting;
}

async function* chunkGroups(
  groups: AsyncIterable<readonly NumberedEvent[]>,
  options: TurnChunksOptions,
): AsyncGenerator<readonly UIMessageChunk[]> {
  const chunks = createTurnChunks(options);
  yield chunks.start();
  try {
    for await (const group of groups) yield chunks.next(group);
  } catch {
    // The store failed for long. The client can't be told by a status any more.
  }
  yield chunks.breakOff();
}

async function* textsOf(groups: AsyncIterable<readonly UIMessageChunk[]>): AsyncGenerator<string> {
  for await (const group of groups) {
    if (group.length > 0) yield group.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  }
  yield "data: [DONE]\n\n";
}
