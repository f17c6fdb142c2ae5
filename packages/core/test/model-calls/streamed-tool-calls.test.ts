import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  createTool,
  type Guardrail,
  type Middleware,
  type ModelStreamChunk,
  type RunConfig,
  runStream,
  type TraceEvent,
} from "../../src/index.ts";
import type { ScriptedStep } from "../../src/testing/index.ts";
import { eventsOfType, says, setup } from "../support/setup.ts";

const look = createTool({
  name: "look",
  description: "",
  parameters: z.looseObject({}),
  execute: () => "seen",
});
const say = createTool({ name: "say", description: "", parameters: z.string(), execute: () => "said" });
const passing: Guardrail<unknown> = () => ({ isValid: true });
const blocking: Guardrail<unknown> = () => ({ isValid: false, errorMessage: "not this" });

type Delta = Extract<ModelStreamChunk, { type: "tool_call_delta" }>;
const piece = (delta: Omit<Delta, "type">): Delta => ({ type: "tool_call_delta", ...delta });
const done = { type: "done" } as const;

async function watch(steps: readonly ScriptedStep<unknown>[], config: Partial<RunConfig<unknown>> = {}) {
  const stream = runStream(says("Hi"), setup({ model: steps, tools: [look, say], config }).config);
  const events: TraceEvent[] = [];
  for await (const event of stream) events.push(event);
  const { finalState } = await stream.result;
  return { events, types: events.map(({ type }) => type), messages: finalState.messages };
}

/** What the events say of each call: its id and name, and its arguments joined. */
function toldCalls(events: readonly TraceEvent[]) {
  const calls = new Map<number, { id: string | undefined; name: string | undefined; text: string }>();
  for (const event of events) {
    if (event.type === "llm_retract") calls.clear();
    if ((event.type === "llm_retry" || event.type === "llm_fallback") && event.data.discardText)
      calls.clear();
    if (event.type !== "llm_tool_call_delta") continue;
    const { index, toolCallId: id, toolName: name, arguments: text } = event.data;
    calls.set(index, { id, name, text: (calls.get(index)?.text ?? "") + text });
  }
  return [...calls.values()];
}

describe("the tool calls of a stream", () => {
  it("are told piece by piece as they come, before the reply is complete", async () => {
    const args = { city: "Pune", days: 3 };
    const { events, types } = await watch([{ toolCalls: [{ name: "look", arguments: args }] }, "Done."]);
    const [first, second] = eventsOfType(events, "llm_tool_call_delta");
    const call = { agentName: "helper", index: 0, toolCallId: "call_1", toolName: "look" };
    expect(first).toEqual({ ...call, arguments: '{"city":"Pun' });
    expect(second).toEqual({ ...call, arguments: 'e","days":3}' });
    expect(types.indexOf("llm_tool_call_delta")).toBeLessThan(types.indexOf("llm_call_end"));
  });

  it("are told with the name as soon as it is known, and without pieces that say nothing", async () => {
    const chunks = [
      piece({ index: 0, id: "a" }),
      piece({ index: 0, arguments: "" }),
      piece({ index: 0, name: "look" }),
      piece({ index: 0, id: "", name: "", arguments: "{}" }),
      done,
    ];
    const { events } = await watch([{ chunks }, "Done."]);
    expect(eventsOfType(events, "llm_tool_call_delta")).toEqual([
      { agentName: "helper", index: 0, toolCallId: "a", arguments: "" },
      { agentName: "helper", index: 0, toolCallId: "a", toolName: "look", arguments: "" },
      { agentName: "helper", index: 0, toolCallId: "a", toolName: "look", arguments: "{}" },
    ]);
  });

  it("are told with the ids that the message has, or with none", async () => {
    const ids = ["x", "x", "x_2", "", "y"];
    const chunks = ids.map((id, index) => piece({ index, id, name: "look", arguments: "{}" }));
    const { events } = await watch([{ chunks: [...chunks, done] }, "Done."]);
    const [message] = eventsOfType(events, "assistant_message").map((data) => data.message);
    const stored = message?.tool_calls?.map(({ id }) => id) ?? [];
    expect(toldCalls(events).map(({ id }) => id)).toEqual(["x", undefined, undefined, undefined, "y"]);
    for (const [index, { id }] of toldCalls(events).entries())
      if (id !== undefined) expect(stored[index]).toBe(id);
  });

  it("are told of custom tools, too", async () => {
    const { events } = await watch([{ toolCalls: [{ name: "say", input: "Hello you" }] }, "Done."]);
    expect(toldCalls(events)).toEqual([{ id: "call_1", name: "say", text: "Hello you" }]);
  });

  it("are held back with output guardrails until the reply is complete", async () => {
    const steps = [{ text: "I look.", toolCalls: [{ name: "look" }] }, "Done."];
    const { events, types } = await watch(steps, { finalOutputGuardrails: [passing] });
    expect(types.indexOf("llm_tool_call_delta")).toBeGreaterThan(types.indexOf("llm_call_end"));
    expect(types.indexOf("llm_tool_call_delta")).toBeLessThan(types.indexOf("assistant_message"));
    expect(toldCalls(events)).toEqual([{ id: "call_1", name: "look", text: "{}" }]);
  });

  it("are discarded with a failed attempt, also if it told nothing else", async () => {
    const cut = { chunks: [piece({ index: 0, id: "a", name: "look", arguments: '{"ci' })] };
    const { events } = await watch([cut, "Done."]);
    expect(eventsOfType(events, "llm_retry")).toMatchObject([{ discardText: true }]);
    expect(toldCalls(events)).toEqual([]);
  });

  it("are retracted with a reply that a guardrail refuses", async () => {
    // The service gives its whole message, which has no call.
    const chunks = [piece({ index: 0, id: "a", name: "look" }), { ...done, message: { content: "No." } }];
    const config = { finalOutputGuardrails: [blocking], unguardedText: "retract" } as const;
    const { types } = await watch([{ chunks }], config);
    expect(types).toContain("llm_tool_call_delta");
    expect(types).toContain("llm_retract");
  });

  it("are not told by run", async () => {
    const { config, events } = setup({ model: [{ toolCalls: [{ name: "look" }] }, "Done."], tools: [look] });
    const { run } = await import("../../src/index.ts");
    await run(says("Hi"), config);
    expect(eventsOfType(events, "llm_tool_call_delta")).toEqual([]);
  });
});

describe("a wrapModelCall hook", () => {
  const hook = (wrapModelCall: Middleware<unknown>["wrapModelCall"]): Partial<RunConfig<unknown>> => ({
    middleware: [{ name: "hook", ...(wrapModelCall && { wrapModelCall }) }],
  });
  const steps = [{ text: "I look.", toolCalls: [{ name: "look", arguments: { a: 1 } }] }, "Done."];

  it("that changes a call retracts it and tells the one that runs", async () => {
    const config = hook(async (_request, next) => {
      const completion = await next();
      const { tool_calls = [], ...message } = completion.message ?? {};
      const changed = tool_calls?.map((call) => ({
        ...call,
        function: { name: "look", arguments: '{"b":2}' },
      }));
      return changed?.length ? { ...completion, message: { ...message, tool_calls: changed } } : completion;
    });
    const { events, types } = await watch(steps, config);
    expect(types.filter((type) => type === "llm_retract")).toHaveLength(1);
    expect(toldCalls(events)).toEqual([{ id: "call_1", name: "look", text: '{"b":2}' }]);
  });

  it("that passes the reply on retracts nothing, also if the service gave the call no id", async () => {
    const chunks = [piece({ index: 0, name: "look", arguments: "{}" }), done];
    const copying = hook(async (_request, next) => structuredClone(await next()));
    const { types } = await watch([{ chunks }, "Done."], copying);
    expect(types).not.toContain("llm_retract");
  });
});
