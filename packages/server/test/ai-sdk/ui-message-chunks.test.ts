import { rejectedResult } from "@jaf/core/adapter";
import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from "ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTurnChunks, type TurnChunksOptions } from "../../src/ai-sdk/ui-message-stream.ts";
import { streamedReply } from "../../src/ai-sdk/ui-messages.ts";
import { visibleParts } from "../../src/client/ai-sdk.ts";
import type { TurnEvent } from "../../src/turns/turn-event.ts";
import { comparable } from "./support/comparable.ts";
import { type ScriptedTurn, scriptTurn, turnShapes } from "./support/turns.ts";

const options: TurnChunksOptions = { messageId: "m1", before: [] };

const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 30 });

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

function chunksOf(turn: ScriptedTurn, lengths: readonly number[], given = options): UIMessageChunk[] {
  const chunks = createTurnChunks(given);
  const made = [...chunks.start(), ...grouped(turn.events, lengths).flatMap(chunks.next)];
  // As received over a connection.
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

const seen = (message: UIMessage | undefined) =>
  comparable(message === undefined ? [] : visibleParts(message));

describe("the chunks of a turn", () => {
  it("are valid and produce the message that is loaded afterwards", async () => {
    const schema = await uiMessageChunkSchema().validate;
    await fc.assert(
      fc.asyncProperty(turnShapes, sizes, async (shape, lengths) => {
        const turn = scriptTurn(shape);
        const chunks = chunksOf(turn, lengths);
        const verdicts = await Promise.all(chunks.map((chunk) => schema?.(chunk)));
        expect(chunks.filter((_, nth) => verdicts[nth]?.success !== true)).toEqual([]);
        const { message, errors } = await read(chunks);
        expect(errors).toEqual(turn.status === "error" ? ["Error: The model failed."] : []);
        expect(message?.id).toBe("m1");
        expect(seen(message)).toEqual(comparable(streamedReply(turn.stored, turn)));
      }),
      { numRuns: 500 },
    );
  });

  it("continue a waiting message, and repeat it for clients that join later", async () => {
    await fc.assert(
      fc.asyncProperty(turnShapes, turnShapes, sizes, async (first, second, lengths) => {
        const asked = scriptTurn({ ...first, status: "interrupted" });
        const goesOn = scriptTurn(second);
        const open = asked.interruptions.map(({ toolCallId }) => toolCallId);
        const answers: TurnEvent[] = open.map((toolCallId, index) => ({
          type: "tool_end",
          toolCallId,
          toolName: "find",
          status: "success",
          durationMs: 1,
          result: index === 0 ? DENIED : "done",
        }));
        const stored = [
          ...asked.stored,
          ...open.map((id, index) => ({
            role: "tool" as const,
            tool_call_id: id,
            content: index === 0 ? DENIED : "done",
          })),
        ];
        const [start, ...rest] = goesOn.events;
        const events = start === undefined ? [] : [start, ...answers, ...rest];
        const wanted = comparable(
          streamedReply([...stored, ...goesOn.stored], { interruptions: goesOn.interruptions }),
        );

        const held = (await read(chunksOf(asked, lengths))).message;
        fc.pre(held !== undefined);
        const decided = { ...held, parts: held.parts.map(decidedPart) };
        const given = { ...options, before: asked.stored, heldParts: decided.parts.length };
        const live = await read(chunksOf({ ...goesOn, events }, lengths, given), decided);
        expect(seen(live.message)).toEqual(wanted);

        const again = await read(
          chunksOf({ ...goesOn, events }, [events.length], { ...options, before: asked.stored }),
        );
        expect(comparable(again.message?.parts ?? [])).toEqual(wanted);
        expect(again.message?.metadata).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it("list the parts of a retracted reply, which the client leaves out", async () => {
    const turn = turnOf(
      { type: "reasoning", text: "Hm" },
      { type: "text", text: "Hel" },
      { type: "retract", reason: "retry" },
      { type: "text", text: "Hello" },
    );
    const chunks = chunksOf(turn, [1]);
    expect(chunks.filter(({ type }) => type === "message-metadata")).toEqual([
      {
        type: "message-metadata",
        messageMetadata: { jaf: { retracted: { "0": true, "1": true, "2": true } } },
      },
    ]);
    const { message } = await read(chunks);
    const texts = (parts: readonly { type: string; text?: string }[]) =>
      parts.flatMap(({ type, text }) => (type === "text" ? [text] : []));
    expect(texts(message?.parts ?? [])).toEqual(["Hel", "Hello"]);
    expect(texts(message === undefined ? [] : visibleParts(message))).toEqual(["Hello"]);
  });

  it("contain no text that was retracted before they are created", () => {
    const turn = turnOf(
      { type: "text", text: "Hel" },
      { type: "retract", reason: "taken-over" },
      { type: "text", text: "Hello" },
    );
    expect(JSON.stringify(chunksOf(turn, [turn.events.length]))).not.toContain('"Hel"');
    expect(chunksOf(turn, [turn.events.length]).map(({ type }) => type)).toEqual([
      ...["start", "start-step", "text-start", "text-delta", "text-end", "finish-step", "finish"],
    ]);
  });

  it("leave out reasoning if it is disabled", async () => {
    const turn = turnOf({ type: "reasoning", text: "secret" }, { type: "text", text: "Hello" });
    expect(JSON.stringify(chunksOf(turn, [1], { ...options, reasoning: false }))).not.toContain("secret");
  });
});

const DENIED = JSON.stringify(rejectedResult("too dear"));

/** Marks a call as the client does after its user's decision. */
const decidedPart = (part: UIMessage["parts"][number]): UIMessage["parts"][number] =>
  "state" in part && part.state === "approval-requested"
    ? { ...part, state: "approval-responded", approval: { id: part.approval.id, approved: false } }
    : part;

/** A turn with one reply, "Hello". */
function turnOf(...pieces: readonly TurnEvent[]): ScriptedTurn {
  const message = { role: "assistant", content: "Hello" } as const;
  const events: TurnEvent[] = [
    { type: "turn_start", turnId: "t", conversationId: "c", agentName: "clerk" },
    ...pieces,
    { type: "message", agentName: "clerk", message },
    { type: "turn_end", status: "completed" },
  ];
  return { events, stored: [message], interruptions: [], status: "completed" };
}
