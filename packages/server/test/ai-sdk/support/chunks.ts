import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import fc from "fast-check";
import { createTurnChunks, type TurnChunksOptions } from "../../../src/ai-sdk/ui-message-stream.ts";
import { visibleParts } from "../../../src/client/ai-sdk.ts";
import type { TurnEvent } from "../../../src/turns/turn-event.ts";
import { comparable } from "./comparable.ts";
import type { ScriptedTurn } from "./turns.ts";

/** Options of a turn whose message is `m1`. */
export const options: TurnChunksOptions = { messageId: "m1", before: [] };

/** Sizes of groups of events. */
export const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 30 });

/** Splits into groups of these sizes, repeated. */
function grouped(events: readonly TurnEvent[], lengths: readonly number[]) {
  const numbered = events.map((event, number) => ({ number, event }));
  const groups = [];
  for (let at = 0, turn = 0; at < numbered.length; turn++) {
    const size = lengths[turn % lengths.length] ?? 1;
    groups.push(numbered.slice(at, at + size));
    at += size;
  }
  return groups;
}

/** Returns the chunks of a turn, with its events in groups of these sizes, as a client receives them. */
export function chunksOf(turn: ScriptedTurn, lengths: readonly number[], given = options): UIMessageChunk[] {
  const chunks = createTurnChunks(given);
  const made = [...chunks.start(), ...grouped(turn.events, lengths).flatMap(chunks.next)];
  // As received over a connection.
  return JSON.parse(JSON.stringify(made));
}

/** Reads chunks as the AI SDK does: into a new message, or into one that waits. */
export async function read(chunks: readonly UIMessageChunk[], message?: UIMessage) {
  const errors: string[] = [];
  const stream = new ReadableStream<UIMessageChunk>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  let last: UIMessage | undefined = message;
  const onError = (error: unknown) => errors.push(String(error));
  for await (const each of readUIMessageStream({
    stream,
    onError,
    ...(message && { message: structuredClone(message) }),
  }))
    last = each;
  return { message: last, errors };
}

/**
 * Returns the parts with the calls of each step behind its other parts, in the order of their ids: in a stream, a call stands
 * where the model began it.
 */
export function callsLast<Part extends { readonly type: string }>(parts: readonly Part[]): Part[] {
  const idOf = (part: Part) =>
    "toolCallId" in part && !("providerExecuted" in part && part.providerExecuted === true)
      ? String(part.toolCallId)
      : "";
  const steps: Part[][] = [];
  for (const part of parts) {
    if (part.type === "step-start") steps.push([]);
    steps.at(-1)?.push(part);
  }
  return steps.flatMap((step) =>
    step.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0)),
  );
}

/** What the client shows of a message. */
export const seen = (message: UIMessage | undefined) =>
  comparable(message === undefined ? [] : callsLast(visibleParts(message)));
