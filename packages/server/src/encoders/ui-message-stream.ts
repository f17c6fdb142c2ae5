import type { TurnEvent } from "../turns/turn-event.ts";
import type { NumberedEvent } from "../turns/turn-service.ts";
import type { Encoder } from "./encoder.ts";
import { BrokenOffError, EVENT_STREAM_HEADERS, eventStream } from "./event-stream.ts";
import type { UIMessageChunk } from "./ui-message/chunk.ts";
import { createTurnChunks, type TurnChunks, type TurnChunksOptions } from "./ui-message/turn-chunks.ts";

export interface UIMessageStreamOptions {
  /** Which message the turn writes, by its first event. */
  readonly messageOf: (start: TurnEvent | undefined) => TurnChunksOptions;
  /** Events with smaller numbers are there already: given out as one, so that nothing that was retracted is seen. Default 0. */
  readonly known?: number;
}

/**
 * A turn, from its first event on, as the AI SDK's UI message stream. If the events break off, so does the connection: a client
 * takes an ordered end for the end of the turn.
 */
export const encodeUIMessageStream =
  ({ messageOf, known = 0 }: UIMessageStreamOptions): Encoder =>
  ({ events, ...options }) =>
    new Response(eventStream(textsOf(chunkGroups(gathered(events, known), messageOf)), options), {
      headers: { ...EVENT_STREAM_HEADERS, "x-vercel-ai-ui-message-stream": "v1" },
    });

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
}

async function* chunkGroups(
  groups: AsyncIterable<readonly NumberedEvent[]>,
  messageOf: UIMessageStreamOptions["messageOf"],
): AsyncGenerator<readonly UIMessageChunk[]> {
  let chunks: TurnChunks | undefined;
  for await (const group of groups) {
    if (chunks === undefined) {
      chunks = createTurnChunks(messageOf(group[0]?.event));
      yield chunks.start();
    }
    yield chunks.next(group);
    if (chunks.isOver()) return;
  }
  throw new BrokenOffError("The events of the turn broke off.");
}

async function* textsOf(groups: AsyncIterable<readonly UIMessageChunk[]>): AsyncGenerator<string> {
  for await (const group of groups) {
    if (group.length > 0) yield group.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  }
  yield "data: [DONE]\n\n";
}
