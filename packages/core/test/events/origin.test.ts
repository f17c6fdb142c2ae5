import { createInMemoryProvider, type RunId } from "@jaf/memory";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { run, runStream, type TraceEvent } from "../../src/index.ts";
import { clientSetup } from "../support/client.ts";
import { says, setup } from "../support/setup.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");

const originsOf = (events: readonly TraceEvent[]) => new Set(events.map(({ runId }) => runId));
const isNumbered = (events: readonly TraceEvent[]) =>
  events.length > 0 && events.every(({ sequence }, index) => sequence === index);

describe("an event", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("has the run, the conversation, a number and a time, in addition to type and data", async () => {
    const { config, events } = setup({
      model: ["Hello."],
      config: { memory: { provider: createInMemoryProvider(), autoStore: true }, conversationId: "c" },
    });
    const state = says("Hi");
    await run(state, config);
    expect(events.map(({ type }) => type)).toContain("memory_stored");
    expect(originsOf(events)).toEqual(new Set([state.runId]));
    expect(isNumbered(events)).toBe(true);
    expect(events.every((event) => event.conversationId === "c" && event.time === NOW)).toBe(true);
    expect(events.every((event) => Object.isFrozen(event) && Object.isFrozen(event.data))).toBe(true);
  });

  it("has no conversation id if there is none", async () => {
    const { config, events } = setup({ model: ["Hello."] });
    await run(says("Hi"), config);
    expect(events.some((event) => "conversationId" in event)).toBe(false);
  });

  it("is numbered without gaps in a stream, also with an observer", async () => {
    const { config, events } = setup({ model: ["Hello there."] });
    const stream = runStream(says("Hi"), config);
    const streamed: TraceEvent[] = [];
    for await (const event of stream) streamed.push(event);
    expect(streamed.map(({ type }) => type)).toContain("llm_delta");
    expect(isNumbered(streamed)).toBe(true);
    expect(streamed).toEqual(events);
  });

  it("has these fields in a client's prompt, too, even if the run never begins", async () => {
    const told: TraceEvent[] = [];
    const { client } = clientSetup();
    const runId = "run-1" as RunId;
    const { conversationId } = await client
      .forUser("u")
      .prompt("Hi", { runId, onEvent: (event) => told.push(event) });
    expect(originsOf(told)).toEqual(new Set([runId]));
    expect(told.every((event) => event.conversationId === conversationId)).toBe(true);
    expect(isNumbered(told)).toBe(true);
    const never: TraceEvent[] = [];
    await client.prompt("Hi", { runId, signal: AbortSignal.abort(), onEvent: (event) => never.push(event) });
    expect(never.map(({ type, sequence }) => [type, sequence])).toEqual([
      ["run_start", 0],
      ["run_end", 1],
    ]);
    expect(originsOf(never)).toEqual(new Set([runId]));
  });
});
