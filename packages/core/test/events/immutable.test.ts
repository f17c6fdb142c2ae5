import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, run, runStream, type TraceEvent } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { eventsOfType, says, setup } from "../support/setup.ts";

type Changeable = Record<string, never>;

/** Tries to change an event at every depth. */
function vandalise(value: unknown): void {
  if (typeof value !== "object" || value === null || value instanceof Date) return;
  for (const [key, part] of Object.entries(value)) {
    vandalise(part);
    try {
      (value as Changeable)[key] = "vandalised" as never;
    } catch {
      // It is frozen.
    }
  }
}

const seen: unknown[] = [];
const add = createTool({
  name: "add",
  description: "",
  parameters: z.object({ of: z.object({ numbers: z.array(z.number()) }), at: z.coerce.date() }),
  execute: (args) => {
    seen.push(structuredClone(args));
    return String(args.of.numbers.length);
  },
});
const call = { name: "add", arguments: { of: { numbers: [1, 2] }, at: "2026-01-01" } };
const args = { of: { numbers: [1, 2] }, at: new Date("2026-01-01") };

describe("an observer", () => {
  it("can't change the run through its events", async () => {
    const state = says("Hi");
    const script = () => createScriptedModel([{ toolCalls: [call, call] }, "Done."]);
    const untouched = await run(state, setup({ model: script(), tools: [add] }).config);
    seen.length = 0;
    const model = script();
    const { config } = setup({ model, tools: [add], config: { onEvent: vandalise } });
    expect(await run(state, config)).toEqual(untouched);
    expect(seen).toEqual([args, args]);
  });

  it("can't change the events of a stream's reader", async () => {
    const { config } = setup({
      model: [{ toolCalls: [call] }, "Done."],
      tools: [add],
      config: { onEvent: vandalise },
    });
    const stream = runStream(says("Hi"), config);
    const events: TraceEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ type }) => type)).not.toContain("vandalised");
    expect(eventsOfType(events, "llm_call_start")[0]).toMatchObject({ agentName: "helper" });
  });

  it("gets the model's arguments if the parsed ones can't be copied", async () => {
    const tool = createTool({
      name: "tool",
      description: "",
      parameters: z.object({ n: z.number() }).transform(({ n }) => ({ double: () => 2 * n })),
      execute: ({ double }) => String(double()),
    });
    const { config, events } = setup({
      model: [{ toolCalls: [{ name: "tool", arguments: { n: 2 } }] }, "Done."],
      tools: [tool],
    });
    await run(says("Hi"), config);
    expect(eventsOfType(events, "tool_call_start")).toMatchObject([{ args: { n: 2 } }]);
    expect(eventsOfType(events, "tool_call_end")).toMatchObject([{ status: "success", result: "4" }]);
  });
});

describe("a message of the engine", () => {
  it("is frozen, as are its calls", async () => {
    const { config } = setup({ model: [{ toolCalls: [call] }, "Done."], tools: [add] });
    const { messages } = (await run(says("Hi"), config)).finalState;
    const [, calling, ...others] = messages;
    const parts = [
      calling,
      calling?.tool_calls,
      calling?.tool_calls?.[0],
      calling?.tool_calls?.[0]?.function,
    ];
    expect([...parts, ...others].every(Object.isFrozen)).toBe(true);
  });
});
