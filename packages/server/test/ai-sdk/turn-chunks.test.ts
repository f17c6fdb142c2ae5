import type { RichMessage } from "@jaf/memory";
import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from "ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shownParts } from "../../src/client/ai-sdk.ts";
import { shownReply } from "../../src/encoders/ui-message/shown-parts.ts";
import { createTurnChunks, type TurnChunksOptions } from "../../src/encoders/ui-message/turn-chunks.ts";
import { uiMessageStream } from "../../src/encoders/ui-message-stream.ts";
import type { TurnEvent } from "../../src/turns/turn-event.ts";
import { type ScriptedTurn, scriptTurn, turnShapes } from "./support/turns.ts";

const options: TurnChunksOptions = { messageId: "m1", before: [] };

const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 30 });

/** In groups of these sizes, over and over. */
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

function chunksOf(turn: ScriptedTurn, lengths: readonly number[], given = options): UIMessageChunk[] {
  const chunks = createTurnChunks(given);
  const made = [
    ...chunks.start(),
    ...grouped(turn.events, lengths).flatMap(chunks.next),
    ...chunks.breakOff(),
  ];
  // As they come out of the connection.
  return JSON.parse(JSON.stringify(made));
}

async function read(chunks: readonly UIMessageChunk[], message?: UIMessage) {
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

/** Without what the protocol can't say of a decided approval. */
const comparable = (parts: readonly unknown[]) =>
  JSON.parse(JSON.stringify(parts), (key, value) =>
    key === "approval" ? { id: value.id } : key === "id" && /^\d+$/.test(value) ? undefined : value,
  );

const seen = (message: UIMessage | undefined) => comparable(message === undefined ? [] : shownParts(message));

describe("the chunks of a turn", () => {
  it("are valid, and lead to the message that is read afterwards", async () => {
    const schema = await uiMessageChunkSchema().validate;
    await fc.assert(
      fc.asyncProperty(turnShapes, sizes, async (shape, lengths) => {
        const turn = scriptTurn(shape);
        const chunks = chunksOf(turn, lengths);
        for (const chunk of chunks) expect(await schema?.(chunk)).toMatchObject({ success: true });
        const { message, errors } = await read(chunks);
        expect(errors).toEqual(turn.status === "error" ? ["Error: The model failed."] : []);
        expect(message?.id).toBe("m1");
        expect(seen(message)).toEqual(comparable(shownReply(turn.stored, turn)));
      }),
      { numRuns: 500 },
    );
  });
  void ({} as RichMessage);
  void uiMessageStream;
});
