import { expect } from "vitest";
import * as z from "zod";
import { createTool, run, type Tool, type ToolResult } from "../../src/index.ts";
import { createScriptedModel, type ScriptedCall } from "../../src/testing/index.ts";
import { says, setup } from "./setup.ts";

// biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
export type AnyTool = Tool<any, unknown>;

/** Runs one reply with these calls. Returns the results that the model gets, and the events. */
export async function answersTo(toolCalls: readonly ScriptedCall[], tools: readonly AnyTool[]) {
  const model = createScriptedModel([{ toolCalls }, "done"]);
  const { config, events } = setup({ model, tools });
  const { outcome } = await run(says("Hi"), config);
  expect(outcome).toEqual({ status: "completed", output: "done" });
  const contents = (model.requests[1]?.state.messages ?? [])
    .filter(({ role }) => role === "tool")
    .map(({ content }) => content);
  return { contents, events };
}

export async function answerTo(call: ScriptedCall, tool: AnyTool): Promise<string> {
  return (await answersTo([call], [tool])).contents[0] ?? "";
}

export const resultOf = async (call: ScriptedCall, tool: AnyTool): Promise<ToolResult> =>
  JSON.parse(await answerTo(call, tool));

export const returning = (value: unknown): AnyTool =>
  createTool({ name: "tool", description: "", parameters: z.object({}), execute: () => value as string });
