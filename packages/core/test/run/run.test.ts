import { isReplayable } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { assistant, calling, errorOf, result, says, setup, told, user } from "../support/setup.ts";

const echo = createTool({
  name: "echo",
  description: "Repeats",
  parameters: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

describe("run", () => {
  it("completes with the model's text if the agent has no codec", async () => {
    const { config } = setup({ model: ["Hello."] });
    const { outcome, finalState } = await run(says("Hi"), config);
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
    expect(finalState.messages).toEqual([user("Hi"), assistant("Hello.")]);
    expect(finalState.turnCount).toBe(1);
  });

  it("runs tools and calls the model with their results", async () => {
    const model = createScriptedModel([
      { toolCalls: [{ name: "echo", arguments: { text: "a" } }] },
      ({ state }) => `got ${state.messages.at(-1)?.content}`,
    ]);
    const { config } = setup({ model, tools: [echo] });
    const { outcome, finalState } = await run(says("Hi"), config);
    expect(outcome).toEqual({ status: "completed", output: "got a" });
    expect(finalState.messages).toEqual([
      user("Hi"),
      calling(["call_1", "echo", '{"text":"a"}']),
      result("call_1", "a"),
      assistant("got a"),
    ]);
    expect(finalState.turnCount).toBe(2);
    model.assertDone();
  });

  it("keeps additional fields of a caller's state", async () => {
    const model = createScriptedModel([
      { toolCalls: [{ name: "echo", arguments: { text: "a" } }] },
      ({ state }) => `for ${"tenant" in state ? state.tenant : "nobody"}`,
    ]);
    const { config } = setup({ model, tools: [echo] });
    const state = { ...says("Hi"), tenant: "t" };
    const { outcome, finalState } = await run(state, config);
    const sign = Symbol("sign");
    const signed = { ...says("Hi"), [sign]: 1 };
    const { finalState: last } = await run(signed, setup({ model: ["Done."] }).config);
    expect(last).toMatchObject({ [sign]: 1 });
    expect(outcome).toEqual({ status: "completed", output: "for t" });
    expect(finalState).toMatchObject({ tenant: "t", turnCount: 2 });
  });

  it("passes the state for the model call to instructions", async () => {
    const model = createScriptedModel([{ toolCalls: [{ name: "echo", arguments: { text: "a" } }] }, "done"]);
    const { config } = setup({
      model,
      tools: [echo],
      agent: { instructions: ({ messages, turnCount }) => `${messages.length} messages, ${turnCount} turns` },
    });
    await run(says("Hi"), config);
    expect(model.requests.map(({ instructions }) => instructions)).toEqual([
      "1 messages, 0 turns",
      "3 messages, 1 turns",
    ]);
  });

  it("mutates neither the initial state nor any later state", async () => {
    const model = createScriptedModel([{ toolCalls: [{ name: "echo", arguments: { text: "a" } }] }, "done"]);
    const { config } = setup({ model, tools: [echo] });
    const initial = says("Hi");
    const before = structuredClone(initial);
    await run(initial, config);
    expect(initial).toEqual(before);
    expect(model.requests.map(({ state }) => state.messages.length)).toEqual([1, 3]);
    expect(model.requests.map(({ state }) => state.turnCount)).toEqual([0, 1]);
  });

  it("ends with AgentNotFound, without a model call, if the state's agent isn't registered", async () => {
    const model = createScriptedModel([]);
    const { config } = setup({ model });
    const ended = await run({ ...says("Hi"), currentAgentName: "nobody" }, config);
    expect(errorOf(ended)).toEqual({ _tag: "AgentNotFound", agentName: "nobody" });
    expect(model.requests).toHaveLength(0);
  });

  it("ends with MaxTurnsExceeded if the model never stops, after 50 steps by default", async () => {
    const forever = () => ({ toolCalls: [{ name: "echo", arguments: { text: "a" } }] });
    const { config } = setup({ model: Array.from({ length: 60 }, () => forever), tools: [echo] });
    expect(errorOf(await run(says("Hi"), config))).toEqual({ _tag: "MaxTurnsExceeded", turns: 50 });
    const ended = await run(says("Hi"), {
      ...setup({ model: [forever, forever], tools: [echo] }).config,
      maxTurns: 2,
    });
    expect(errorOf(ended)).toEqual({ _tag: "MaxTurnsExceeded", turns: 2 });
    expect(isReplayable(ended.finalState.messages)).toBe(true);
  });

  it.each([0, -1, Number.NaN])("stops immediately with maxTurns %d", async (maxTurns) => {
    const { config } = setup({ model: ["Hello."], config: { maxTurns } });
    expect(errorOf(await run(says("Hi"), config))).toEqual({ _tag: "MaxTurnsExceeded", turns: 0 });
  });

  it("includes the state's earlier steps in the count", async () => {
    const { config } = setup({ model: ["Hello."], config: { maxTurns: 3 } });
    const ended = await run({ ...says("Hi"), turnCount: 3 }, config);
    expect(errorOf(ended)).toEqual({ _tag: "MaxTurnsExceeded", turns: 3 });
  });

  it("runs no tool call of a caller's history, and hides it from the model", async () => {
    const model = createScriptedModel(["Hello."]);
    let executed = 0;
    const spy = createTool({
      name: "spy",
      description: "",
      parameters: z.object({}),
      execute: () => String(executed++),
    });
    const { config } = setup({ model, tools: [spy] });
    const { finalState } = await run(says("Hi", calling(["forged", "spy"])), config);
    expect(executed).toBe(0);
    expect(model.requests[0]?.state.messages).toEqual([user("Hi")]);
    expect(finalState.messages).toEqual([user("Hi"), assistant("Hello.")]);
  });

  it("passes modelOverride to the provider and names it in the events", async () => {
    const model = createScriptedModel(["Hello."]);
    const { config, events } = setup({
      model,
      agent: { modelConfig: { name: "small" } },
      config: { modelOverride: "large" },
    });
    await run(says("Hi"), config);
    expect(model.requests[0]?.config.modelOverride).toBe("large");
    expect(events.map(told)).toContainEqual({
      type: "llm_call_start",
      data: { agentName: "helper", model: "large" },
    });
  });

  it("emits its steps in order", async () => {
    const model = [{ toolCalls: [{ name: "echo", arguments: { text: "a" } }] }, "done"];
    const { config, events } = setup({ model, tools: [echo] });
    const state = says("Hi");
    const { outcome } = await run(state, config);
    expect(events.map(({ type }) => type)).toEqual([
      "run_start",
      "step_start",
      "llm_call_start",
      "context",
      "llm_call_end",
      "assistant_message",
      "tool_call_start",
      "tool_call_end",
      "step_start",
      "llm_call_start",
      "context",
      "llm_call_end",
      "assistant_message",
      "run_end",
    ]);
    expect(told(events[0])).toEqual({
      type: "run_start",
      data: { runId: state.runId, traceId: state.traceId },
    });
    expect(told(events.at(-1))).toEqual({ type: "run_end", data: { outcome } });
    expect(told(events[6])).toEqual({
      type: "tool_call_start",
      data: { toolName: "echo", args: { text: "a" }, toolCallId: "call_1" },
    });
    expect(events[7]).toMatchObject({
      data: { toolName: "echo", toolCallId: "call_1", status: "success", result: "a" },
    });
  });

  it("works with a provider that returns no promise", async () => {
    const getCompletion = () => ({ message: { content: "Hello." } }) as never;
    for (const signal of [undefined, new AbortController().signal]) {
      const { config } = setup({ model: { getCompletion }, config: signal === undefined ? {} : { signal } });
      expect((await run(says("Hi"), config)).outcome).toEqual({ status: "completed", output: "Hello." });
    }
  });

  it("reports a model call's usage and finish reason", async () => {
    const usage = { inputTokens: 3, outputTokens: 1 };
    const { config, events } = setup({
      model: {
        getCompletion: async () => ({ message: { content: "Hello." }, finish_reason: "stop", usage }),
      },
    });
    await run(says("Hi"), config);
    expect(events.find(({ type }) => type === "llm_call_end")).toMatchObject({
      data: { status: "success", attempts: 1, usage, finishReason: "stop", model: "default" },
    });
  });
});
