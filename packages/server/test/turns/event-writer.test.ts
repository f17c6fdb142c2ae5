import { type AppendedEvents, createInMemoryTurnLog } from "@jaf/memory/adapter";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createEventWriter } from "../../src/turns/event-writer.ts";
import type { TurnEnd, TurnEvent } from "../../src/turns/turn-event.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HEARTBEAT_MS = 800;
const ENDING = { state: "ended", record: "{}", eventSeconds: 60, recordSeconds: 60 } as const;
const END: TurnEnd = { type: "turn_end", status: "completed" };
const text = (piece: string): TurnEvent => ({ type: "text", text: piece });
const reply: TurnEvent = {
  ...{ type: "message", agentName: "a" },
  message: { role: "assistant", content: "Hello." },
};
const start: TurnEvent = { type: "turn_start", turnId: "t", conversationId: "c", agentName: "a" };

async function openWriter(appendMs = 0) {
  const log = createInMemoryTurnLog();
  const turn = { conversationId: "c", turnId: "t", userId: "u" };
  const begun = await log.begin({ ...turn, request: "{}", leaseSeconds: 10, keepSeconds: 60 });
  if (!begun.success || !begun.data.begun) throw new Error("The turn didn't begin.");
  const appends: { readonly types: readonly string[]; readonly ends: boolean }[] = [];
  const typeOf = (event: string): string => (JSON.parse(event) as TurnEvent).type;
  const renew = vi.fn(log.renew);
  const writer = createEventWriter({
    log: {
      renew,
      append: async (append: AppendedEvents) => {
        appends.push({ types: append.events.map(typeOf), ends: append.end !== undefined });
        if (appendMs > 0) await new Promise((resolve) => setTimeout(resolve, appendMs));
        return log.append(append);
      },
    },
    ...{
      writer: begun.data.writer,
      first: 0,
      gatherMs: 40,
      heartbeatMs: HEARTBEAT_MS,
      leaseMs: 10_000,
    },
    ...{ onStored: () => {}, onStop: () => {}, onLost: () => {} },
  });
  onTestFinished(writer.close);
  return { writer, appends, renew };
}

describe("The event writer", () => {
  it("stores a short turn without readers in one append", async () => {
    const { writer, appends } = await openWriter();
    for (const event of [start, text("Hel"), text("lo."), reply]) writer.push(event);
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS / 2);
    expect(await writer.end(END, ENDING)).toBe(true);
    expect(appends).toEqual([{ types: ["turn_start", "text", "message", "turn_end"], ends: true }]);
  });

  it("gathers the pieces of each call that the model writes, without waiting for readers", async () => {
    const { writer, appends } = await openWriter();
    const call = (index: number, piece: string): TurnEvent => ({
      type: "tool_arguments",
      ...{ index, toolCallId: `c${index}`, toolName: "find", arguments: piece },
    });
    for (const event of [start, call(0, ""), call(0, '{"q"'), call(0, ":1}"), call(1, "{"), call(1, "}")])
      writer.push(event);
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS / 2);
    expect(appends).toEqual([]);
    expect(await writer.end(END, ENDING)).toBe(true);
    expect(appends).toEqual([
      { types: ["turn_start", "tool_arguments", "tool_arguments", "turn_end"], ends: true },
    ]);
  });

  it("stores what it has once a reader waits, and then soon", async () => {
    const { writer, appends } = await openWriter();
    writer.push(start);
    await vi.advanceTimersByTimeAsync(100);
    expect(appends).toEqual([]);
    writer.storeEarly();
    await vi.advanceTimersByTimeAsync(40);
    writer.push(text("Hello."));
    await vi.advanceTimersByTimeAsync(40);
    writer.push(reply);
    expect(await writer.end(END, ENDING)).toBe(true);
    expect(appends).toEqual([
      { types: ["turn_start"], ends: false },
      { types: ["text"], ends: false },
      { types: ["message", "turn_end"], ends: true },
    ]);
  });

  it.each([
    [0, 25],
    [100, 4],
  ])(
    "gathers for longer while appends are slow: after appends of %i ms, at most %i a second",
    async (appendMs, most) => {
      const { writer, appends } = await openWriter(appendMs);
      writer.storeEarly();
      const speak = async (seconds: number) => {
        for (let piece = 0; piece < seconds * 100; piece++) {
          writer.push(text("."));
          await vi.advanceTimersByTimeAsync(10);
        }
      };
      await speak(5);
      const before = appends.length;
      await speak(1);
      expect(appends.length - before).toBeLessThanOrEqual(most);
      expect(appends.length - before).toBeGreaterThanOrEqual(most - 1);
    },
  );

  it("stores what it has before a tool runs", async () => {
    const { writer, appends } = await openWriter();
    writer.push(start);
    writer.push({ type: "tool_start", toolCallId: "1", toolName: "add", args: {} });
    await vi.advanceTimersByTimeAsync(0);
    expect(appends).toEqual([{ types: ["turn_start", "tool_start"], ends: false }]);
  });

  it("stores what it has at the first heartbeat, in place of a renewal, and then soon", async () => {
    const { writer, appends, renew } = await openWriter();
    writer.push(start);
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
    expect(appends).toEqual([{ types: ["turn_start"], ends: false }]);
    expect(renew).not.toHaveBeenCalled();
    writer.push(text("Hello."));
    await vi.advanceTimersByTimeAsync(40);
    expect(appends).toHaveLength(2);
  });

  it("renews its lease if it has no events", async () => {
    const { appends, renew } = await openWriter();
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS * 3);
    expect(renew).toHaveBeenCalledTimes(3);
    expect(appends).toEqual([]);
  });

  it("ends a turn with more events than fit into one append", async () => {
    const { writer, appends } = await openWriter();
    for (let step = 0; step < 600; step++) writer.push({ type: "handoff", from: "a", to: "b" });
    expect(await writer.end(END, ENDING)).toBe(true);
    expect(appends.map(({ types, ends }) => [types.length, ends])).toEqual([
      [500, false],
      [101, true],
    ]);
  });
});
