import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { visibleParts } from "../../src/client/ai-sdk.ts";
import type { TurnEvent } from "../../src/turns/turn-event.ts";
import { expectContinued, expectLoadedMessage } from "./support/chunk-properties.ts";
import { chunksOf, options, read } from "./support/chunks.ts";
import type { ScriptedTurn } from "./support/turns.ts";

describe("the chunks of a turn", () => {
  it("show what the turn took from the inbox as a part between the replies", async () => {
    const said = (content: string): TurnEvent => ({
      ...{ type: "message", agentName: "clerk", message: { role: "assistant", content } },
    });
    const sent = [
      { role: "user", content: "Make it short." },
      { role: "user", content: "<timer>Tea</timer>", from: "timer" },
    ] as const;
    const events: TurnEvent[] = [
      { type: "turn_start", turnId: "t", conversationId: "c", agentName: "clerk" },
      said("I begin."),
      { type: "input", messages: sent },
      { type: "text", text: "Sho" },
      { type: "retract", reason: "retry" },
      said("Short."),
      { type: "turn_end", status: "completed" },
    ];
    const turn = { events, stored: [], interruptions: [], status: "completed" } as const;
    const data = {
      messages: [
        { from: "user", parts: [{ type: "text", text: "Make it short." }] },
        { from: "timer", parts: [{ type: "text", text: "<timer>Tea</timer>" }] },
      ],
    };
    const { message, errors } = await read(chunksOf(turn, [1]));
    expect(errors).toEqual([]);
    expect(message && visibleParts(message)).toMatchObject([
      { type: "step-start" },
      { type: "text", text: "I begin." },
      { type: "data-jafInput", data },
      { type: "step-start" },
      { type: "text", text: "Short." },
    ]);
    // A client that comes later gets the same, without what was retracted.
    const later = await read(chunksOf(turn, [7]));
    expect(later.message?.parts.map(({ type }) => type)).toEqual(
      message && visibleParts(message).map(({ type }) => type),
    );
  });

  // The stress tests check more turns.
  it("are valid and produce the message that is loaded afterwards", () => expectLoadedMessage(100));

  it("continue a waiting message, and repeat it for clients that join later", () => expectContinued(40));

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

  describe("for a call that the model writes", () => {
    const asks = '{"q":"rain","days":3}';
    const writes = (piece: string, call: object = { toolCallId: "c1", toolName: "find" }): TurnEvent => ({
      type: "tool_arguments",
      index: 0,
      ...call,
      arguments: piece,
    });
    const called = (id = "c1"): TurnEvent => ({
      type: "message",
      agentName: "clerk",
      message: {
        role: "assistant",
        content: "I look.",
        tool_calls: [{ id, type: "function", function: { name: "find", arguments: asks } }],
      },
    });
    const begun: readonly TurnEvent[] = [
      { type: "turn_start", turnId: "t", conversationId: "c", agentName: "clerk" },
      { type: "text", text: "I look." },
    ];
    const written = [
      writes("", { toolCallId: "c1" }),
      writes('{"q":"ra'),
      writes('in","days"'),
      writes(":3}"),
    ];
    const turn = (...events: readonly TurnEvent[]): ScriptedTurn => ({
      ...{ events: [...begun, ...events], stored: [], interruptions: [], status: "completed" },
    });
    const inputs = (chunks: readonly UIMessageChunk[]) =>
      chunks.filter(({ type }) => type.startsWith("tool-") || type.startsWith("text-"));

    it("begin it once its name is known, grow its input, and complete it", () => {
      const call = { toolCallId: "c1", toolName: "find" };
      expect(inputs(chunksOf(turn(...written, called()), [1]))).toEqual([
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "I look." },
        { type: "tool-input-start", ...call },
        { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: '{"q":"ra' },
        { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: 'in","days"' },
        { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: ":3}" },
        { type: "tool-input-available", ...call, input: { q: "rain", days: 3 } },
        { type: "text-end", id: "1" },
      ]);
    });

    it("show the input so far in the client", async () => {
      const { message } = await read(chunksOf(turn(...written.slice(0, 3)), [1]));
      expect(message?.parts.at(-1)).toMatchObject({ state: "input-streaming", input: { q: "rain" } });
    });

    it("catch a client up that comes in the middle", () => {
      const made = chunksOf(turn(...written.slice(0, 3)), [5]);
      expect(inputs(made).slice(-2)).toEqual([
        { type: "tool-input-start", toolCallId: "c1", toolName: "find" },
        { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: '{"q":"rain","days"' },
      ]);
    });

    it("wait for the message if its id isn't known", () => {
      const made = chunksOf(turn(writes(asks, { toolName: "find" }), called("call_1")), [1]);
      expect(inputs(made).slice(-1)).toEqual([
        {
          type: "tool-input-available",
          toolCallId: "call_1",
          toolName: "find",
          input: { q: "rain", days: 3 },
        },
      ]);
    });

    it("hide it if the reply is retracted, also if the next reply has its id", async () => {
      const retracted = turn(...written.slice(0, 3), { type: "retract", reason: "retry" });
      const { message } = await read(chunksOf(retracted, [1]));
      expect(message && visibleParts(message)).toEqual([]);
      const again = turn(
        ...retracted.events.slice(2),
        { type: "text", text: "I look." },
        ...written,
        called(),
      );
      const { message: second } = await read(chunksOf(again, [1]));
      expect(second && visibleParts(second).map(({ type }) => type)).toEqual([
        ...["step-start", "text", "tool-find"],
      ]);
    });

    it("hide it if the turn ends before it is complete", async () => {
      const { message } = await read(
        chunksOf(turn(...written.slice(0, 3), { type: "turn_end", status: "error" }), [1]),
      );
      expect(message && visibleParts(message)).toEqual([]);
    });

    it("retract nothing if the reply goes on behind the call", () => {
      const source = { type: "source", sourceType: "url", id: "1", url: "https://a.example" };
      const made = chunksOf(
        turn(...written, { type: "part", part: source }, { type: "text", text: " Now." }, {
          ...called(),
          message: {
            ...(called() as never as { message: object }).message,
            content: [{ type: "text", text: "I look." }, source, { type: "text", text: " Now." }],
          },
        } as never),
        [1],
      );
      expect(made.filter(({ type }) => type === "message-metadata")).toEqual([]);
    });
  });

  it("leave out reasoning if it is disabled", async () => {
    const turn = turnOf({ type: "reasoning", text: "secret" }, { type: "text", text: "Hello" });
    expect(JSON.stringify(chunksOf(turn, [1], { ...options, reasoning: false }))).not.toContain("secret");
  });
});

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
