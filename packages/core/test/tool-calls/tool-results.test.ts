import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, run, ToolErrorCodes, ToolResponse } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";
import { type AnyTool, answersTo, answerTo, resultOf, returning } from "../support/tool-answers.ts";

const greet = createTool({
  name: "greet",
  description: "",
  parameters: z.object({ name: z.string().min(2), title: z.string().default("Dr.") }),
  execute: ({ name, title }) => `${title} ${name}`,
});

describe("a tool's return value", () => {
  it("is sent to the model unchanged if it is a string", async () => {
    expect(await answerTo({ name: "tool" }, returning('not {"json"\n'))).toBe('not {"json"\n');
    expect(await answerTo({ name: "tool" }, returning(""))).toBe("");
  });

  it("is sent as JSON if it is a ToolResult, and the event has its status", async () => {
    const answer = ToolResponse.notFound("Order", "7");
    const { contents, events } = await answersTo([{ name: "tool" }], [returning(answer)]);
    expect(JSON.parse(contents[0] ?? "")).toEqual(answer);
    expect(eventsOfType(events, "tool_call_end")).toMatchObject([
      { status: "not_found", result: contents[0] },
    ]);
  });

  it("is a failure if its status says so, even with fields that a ToolResult doesn't have", async () => {
    const answer = { ...ToolResponse.error("MINE", "no"), hint: "try later" };
    const { events } = await answersTo([{ name: "tool" }], [returning(answer)]);
    expect(eventsOfType(events, "tool_call_end")).toMatchObject([{ status: "error" }]);
  });

  it("is sent as JSON if it is other data", async () => {
    expect(await answerTo({ name: "tool" }, returning({ rows: [1, 2] }))).toBe('{"rows":[1,2]}');
  });

  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  it.each([
    ["nothing", undefined],
    ["a function", () => 1],
    ["a bigint", 1n],
    ["a cycle", circular],
    ["a result that holds a cycle", ToolResponse.success(circular)],
    ["a Map", new Map([["a", 1]])],
    ["a Set", new Set([1])],
    ["a result that holds a Map somewhere", ToolResponse.success({ rows: [new Map([["a", 1]])] })],
  ])("is an error result when it is %s", async (_what, value) => {
    expect(await resultOf({ name: "tool" }, returning(value))).toMatchObject({
      status: "error",
      error: { code: "EXECUTION_FAILED", message: expect.stringContaining("JSON") },
    });
  });
});

describe("a tool that fails", () => {
  const broken = createTool({
    name: "broken",
    description: "",
    parameters: z.object({}),
    execute: () => {
      throw new Error("the disk is full");
    },
  });

  it("is answered with its message, and the run continues", async () => {
    expect(await resultOf({ name: "broken" }, broken)).toEqual({
      status: "error",
      error: { code: ToolErrorCodes.EXECUTION_FAILED, message: "the disk is full" },
    });
  });

  it("can throw something other than an Error", async () => {
    const odd: AnyTool = { ...broken, execute: () => Promise.reject("odd") };
    expect(await resultOf({ name: "broken" }, odd)).toMatchObject({ status: "error" });
  });

  it("ends the run with ToolCallError if onToolError is fail, after the other calls are answered", async () => {
    const model = createScriptedModel([{ toolCalls: [{ name: "broken" }, { name: "tool" }] }]);
    const { config } = setup({ model, tools: [broken, returning("ok")], config: { onToolError: "fail" } });
    const ended = await run(says("Hi"), config);
    expect(errorOf(ended)).toEqual({ _tag: "ToolCallError", tool: "broken", detail: "the disk is full" });
    expect(ended.finalState.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
  });

  it("doesn't end the run if onToolError is fail and only its arguments are invalid", async () => {
    const model = createScriptedModel([{ toolCalls: [{ name: "greet", arguments: "nonsense" }] }, "done"]);
    const { config } = setup({ model, tools: [greet], config: { onToolError: "fail" } });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
  });
});
