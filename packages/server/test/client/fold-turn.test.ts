import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyTurn, type FoldedTurn, foldTurn, isRunning } from "../../src/client/index.ts";
import type { TurnEvent } from "../../src/turns/turn-event.ts";

const start: TurnEvent = { type: "turn_start", turnId: "t", conversationId: "c", agentName: "helper" };
const text = (words: string): TurnEvent => ({ type: "text", text: words });
const said = (content: string): TurnEvent => ({
  type: "message",
  agentName: "helper",
  message: { role: "assistant", content },
});
const calls = (...ids: string[]): TurnEvent => ({
  type: "message",
  agentName: "helper",
  message: {
    role: "assistant",
    content: "",
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "notes", arguments: "{}" } })),
  },
});
const begins = (toolCallId: string): TurnEvent => ({
  type: "tool_start",
  toolCallId,
  toolName: "notes",
  args: { action: "list" },
});
const ends = (toolCallId: string, result = "done"): TurnEvent => ({
  type: "tool_end",
  toolCallId,
  toolName: "notes",
  status: "success",
  durationMs: 3,
  result,
});
const waits = (toolCallId: string): TurnEvent => ({
  type: "interruption",
  interruption: {
    type: "approval",
    approvalId: `a-${toolCallId}`,
    toolCallId,
    toolName: "notes",
    args: { number: 1 },
    arguments: '{"number":1}',
    agentName: "helper",
  },
});
const writes = (
  index: number,
  piece: string,
  call: { toolCallId?: string; toolName?: string } = {},
): TurnEvent => ({
  type: "tool_arguments",
  index,
  ...call,
  arguments: piece,
});
const end: TurnEvent = { type: "turn_end", status: "completed", version: 4 };

const fold = (events: readonly TurnEvent[], from: FoldedTurn = emptyTurn): FoldedTurn =>
  events.reduce((turn, event, number) => foldTurn(turn, { number, event }), from);
const shownText = (turn: FoldedTurn): string =>
  [
    ...turn.items.map((item) => (item.type === "message" ? item.message.content : "")),
    ...turn.pieces.map((piece) => (piece.type === "text" ? piece.text : "")),
  ].join("");
const toolsOf = (turn: FoldedTurn) => turn.items.filter((item) => item.type === "tool");

describe("foldTurn", () => {
  it("joins pieces and replaces them by their message", () => {
    const streaming = fold([start, text("Hel"), text("lo")]);
    expect(streaming.pieces).toEqual([{ type: "text", text: "Hello" }]);
    expect(isRunning(streaming)).toBe(true);
    const done = fold([start, text("Hel"), text("lo"), said("Hello"), end]);
    expect(done.pieces).toEqual([]);
    expect(shownText(done)).toBe("Hello");
    expect(done).toMatchObject({ status: "completed", version: 4, events: 5, turnId: "t" });
    expect(isRunning(done)).toBe(false);
  });

  it("doesn't join reasoning with text, or parts", () => {
    const part: TurnEvent = { type: "part", part: { type: "media", mediaType: "image/png" } };
    const { pieces } = fold([start, { type: "reasoning", text: "Hm" }, text("a"), part, part, text("b")]);
    expect(pieces.map(({ type }) => type)).toEqual(["reasoning", "text", "part", "part", "text"]);
  });

  it("joins the pieces of each call that the model writes, and replaces them by the call", () => {
    const events = [
      start,
      text("I look."),
      writes(0, "", { toolCallId: "1" }),
      writes(0, '{"act', { toolCallId: "1", toolName: "notes" }),
      writes(1, "{", { toolName: "notes" }),
      writes(0, 'ion":1'),
    ];
    expect(fold(events).pieces).toEqual([
      { type: "text", text: "I look." },
      { type: "tool_arguments", index: 0, toolCallId: "1", toolName: "notes", arguments: '{"action":1' },
      { type: "tool_arguments", index: 1, toolName: "notes", arguments: "{" },
    ]);
    expect(fold(events).items).toEqual([]);
    const called = fold([...events, calls("1", "2")]);
    expect(called.pieces).toEqual([]);
    expect(toolsOf(called)).toMatchObject([{ state: "called" }, { state: "called" }]);
    expect(fold([...events, { type: "retract", reason: "retry" }]).pieces).toEqual([]);
  });

  it("removes retracted pieces, and keeps the reason until the next piece", () => {
    const retracted = fold([start, text("wrong"), { type: "retract", reason: "guardrail" }]);
    expect(retracted).toMatchObject({ pieces: [], retracted: "guardrail" });
    expect(foldTurn(retracted, { number: 3, event: text("right") })).toMatchObject({
      pieces: [{ text: "right" }],
      retracted: undefined,
    });
  });

  it("shows a call once, although its result is also a message", () => {
    const result: TurnEvent = {
      type: "message",
      agentName: "helper",
      message: { role: "tool", content: "done", tool_call_id: "1" },
    };
    const events = [start, calls("1"), begins("1"), ends("1"), result];
    expect(toolsOf(fold(events.slice(0, 2)))).toMatchObject([{ state: "called" }]);
    expect(toolsOf(fold(events.slice(0, 3)))).toMatchObject([{ state: "running", args: { action: "list" } }]);
    const turn = fold(events);
    expect(toolsOf(turn)).toMatchObject([{ state: "success", result: "done", starts: 1 }]);
    expect(turn.messages).toHaveLength(2);
  });

  it("shows a call once if another process starts it again", () => {
    const turn = fold([
      start,
      calls("1"),
      begins("1"),
      { type: "retract", reason: "taken-over" },
      begins("1"),
      ends("1"),
    ]);
    expect(toolsOf(turn)).toMatchObject([{ state: "success", starts: 2 }]);
  });

  it("adds a call if an ended call has the same id", () => {
    const turn = fold([
      start,
      calls("1"),
      begins("1"),
      ends("1", "first"),
      calls("1"),
      begins("1"),
      ends("1", "second"),
    ]);
    expect(toolsOf(turn)).toMatchObject([{ result: "first" }, { result: "second" }]);
  });

  it("shows the interruption of a call once", () => {
    const interruption = waits("1");
    const waiting = interruption.type === "interruption" ? [interruption.interruption] : [];
    const interrupted: TurnEvent = { type: "turn_end", status: "interrupted", interruptions: waiting };
    const turn = fold([start, calls("1"), interruption, interrupted]);
    expect(turn.interruptions).toHaveLength(1);
    expect(toolsOf(turn)).toMatchObject([{ state: "waiting", waitsFor: { approvalId: "a-1" } }]);
  });

  it("keeps the text of a failed turn, with the error", () => {
    const error = { code: "ModelError", message: "The model failed.", retryable: true };
    const turn = fold([start, text("half"), { type: "turn_end", status: "error", error }]);
    expect(turn).toMatchObject({ status: "error", error, pieces: [{ text: "half" }] });
  });

  it("shows what the turn took from the inbox in its place", () => {
    const input: TurnEvent = {
      type: "input",
      messages: [
        { role: "user", content: "Make it short." },
        { role: "user", content: "Tea is ready.", from: "timer" } as never,
      ],
    };
    const turn = fold([start, calls("c1"), begins("c1"), ends("c1"), input, said("Short."), end]);
    expect(turn.items.map(({ type }) => type)).toEqual(["message", "tool", "input", "input", "message"]);
    expect(turn.items[3]).toMatchObject({ message: { from: "timer" } });
    expect(turn.messages.map(({ role }) => role)).toEqual(["assistant", "assistant"]);
  });

  it("ignores unknown events", () => {
    const unknown = { type: "weather" } as unknown as TurnEvent;
    expect(fold([start, unknown, text("a")])).toMatchObject({ events: 3, pieces: [{ text: "a" }] });
  });

  it("returns the same if events are repeated", () => {
    const events = [
      start,
      calls("1"),
      begins("1"),
      text("a"),
      ends("1"),
      text("b"),
      text("c"),
      said("abc"),
      waits("2"),
      end,
    ];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(events.length), fc.nat(events.length))), (repeats) => {
        let turn = emptyTurn;
        const take = (from: number, to: number) => {
          for (let number = from; number < to; number += 1) {
            const event = events[number];
            if (event !== undefined) turn = foldTurn(turn, { number, event });
          }
        };
        // Each connection starts at or before the next event.
        for (const [from, count] of repeats) take(Math.min(from, turn.events), turn.events + count);
        take(turn.events, events.length);
        expect(turn).toEqual(fold(events));
      }),
    );
  });

  it("keeps what an agent did as a tool under the call that runs it, also if that call starts again", () => {
    const inside = (event: Extract<TurnEvent, { type: "inner" }>["event"]): TurnEvent => ({
      type: "inner",
      toolCallId: "a",
      event,
    });
    const asked = [calls("a"), begins("a"), inside(calls("b") as never), waits("a/b")];
    const waiting = fold([start, ...asked]);
    expect(toolsOf(waiting)).toMatchObject([
      {
        ...{ toolCallId: "a", state: "waiting" },
        inner: [
          { type: "message" },
          { toolCallId: "a/b", state: "waiting", waitsFor: { toolCallId: "a/b" } },
        ],
      },
    ]);
    const again = [begins("a"), inside(begins("b") as never), inside(ends("b") as never), ends("a")];
    const [done] = toolsOf(fold([start, ...asked, ...again]));
    expect(done).toMatchObject({ toolCallId: "a", state: "success", starts: 2 });
    expect(done?.inner).toMatchObject([
      { type: "message" },
      { toolCallId: "a/b", state: "success", starts: 1 },
    ]);
    // In a turn that answers, the call may not start again.
    expect(toolsOf(fold([start, waits("a/b")]))).toMatchObject([{ toolCallId: "a/b", state: "waiting" }]);
  });
});
