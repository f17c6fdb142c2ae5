import { createInMemoryProvider, type Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Agent, createAgentClient, createTool, type ModelProvider, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { says, setup } from "../support/setup.ts";

const nestedText = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const nested = (levels: number): unknown => JSON.parse(nestedText(levels));
const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

const tooDeep = /nested deeper than 200 levels/;
const unstorable = [
  ["a cycle", cycle],
  ["a bigint", 1n],
  ["5,000 levels", nested(5_000)],
  ["100,000 levels", nested(100_000)],
] as const;

const toolThat = (execute: () => unknown, parameters: z.ZodType = z.looseObject({})) =>
  createTool({ name: "look", description: "Looks.", parameters, execute: async () => execute() as string });

const calls = (args: string) => ({ toolCalls: [{ name: "look", arguments: args }] });
const resultIn = (messages: readonly Message[]) => messages.find(({ role }) => role === "tool")?.content;

describe("Arguments of a tool call", () => {
  it.each([201, 5_000, 100_000])("become an error result if they have %i levels", async (levels) => {
    const model = createScriptedModel([calls(nestedText(levels)), "Sorry."]);
    const { config } = setup({ model, tools: [toolThat(() => "looked")] });
    const { outcome, finalState } = await run(says("Look."), config);
    expect(outcome).toEqual({ status: "completed", output: "Sorry." });
    expect(resultIn(finalState.messages)).toMatch(tooDeep);
    model.assertDone();
  });

  it("reach the tool with 200 levels", async () => {
    const { config } = setup({ model: [calls(nestedText(200)), "Done."], tools: [toolThat(() => "looked")] });
    const { finalState } = await run(says("Look."), config);
    expect(resultIn(finalState.messages)).toBe("looked");
  });

  it("can wait for an approval with 195 levels, and be stored", async () => {
    const tool = { ...toolThat(() => "looked"), needsApproval: true };
    const memory = { provider: createInMemoryProvider(), autoStore: true };
    const { config } = setup({
      model: [calls(nestedText(195))],
      tools: [tool],
      config: { memory, conversationId: "c" },
    });
    const { outcome } = await run(says("Look."), config);
    expect(outcome.status).toBe("interrupted");
  });

  it.each(unstorable)(
    "end the run after one call if an adapter gives an object with %s",
    async (_, value) => {
      let made = 0;
      const modelProvider: ModelProvider<unknown> = {
        getCompletion: async () => {
          made += 1;
          const given = { name: "look", arguments: { value } as unknown as string };
          return { message: { tool_calls: [{ id: "1", function: given }] } };
        },
      };
      const { config } = setup({ model: modelProvider, tools: [toolThat(() => "looked")] });
      const { outcome } = await run(says("Look."), config);
      const detail = "the arguments of a tool call can't be written as JSON";
      expect(outcome).toMatchObject({ status: "error", error: { _tag: "ModelBehaviorError", detail } });
      expect(made).toBe(1);
    },
  );
});

describe("A tool's return value", () => {
  it.each(unstorable)("becomes an error result if it has %s", async (_, value) => {
    const { config } = setup({ model: [calls("{}"), "Sorry."], tools: [toolThat(() => ({ value }))] });
    const { outcome, finalState } = await run(says("Look."), config);
    expect(outcome.status).toBe("completed");
    expect(resultIn(finalState.messages)).toContain("can't be written as JSON");
  });

  it.each(unstorable)("becomes an error result if its parts have %s", async (_, value) => {
    const tool = toolThat(() => ({ parts: [{ type: "text", text: "a", value }] }));
    const { config } = setup({ model: [calls("{}"), "Sorry."], tools: [tool] });
    const { outcome, finalState } = await run(says("Look."), config);
    expect(outcome.status).toBe("completed");
    expect(resultIn(finalState.messages)).toContain("something other than data");
  });
});

describe("A reply", () => {
  it.each(unstorable)("ends the run after one call if a part has %s", async (_, value) => {
    const model = createScriptedModel([{ text: "Hi.", parts: [{ type: "odd", value }] }]);
    const { config } = setup({ model });
    const { outcome } = await run(says("Hello."), config);
    expect(outcome).toMatchObject({ status: "error", error: { _tag: "ModelBehaviorError" } });
    model.assertDone();
  });

  it("counts JSON that is nested too deeply as text for the output codec", async () => {
    const { config } = setup({
      model: [nestedText(5_000), nestedText(5_000)],
      agent: { outputCodec: z.looseObject({}) },
    });
    const { outcome } = await run(says("Hello."), config);
    expect(outcome).toMatchObject({ status: "error", error: { _tag: "DecodeError" } });
  });
});

describe("A prompt", () => {
  const agent: Agent<object, string> = { name: "helper", instructions: "Help." };
  const messages = (value: unknown) => [{ role: "user" as const, content: "Hi.", value }];

  it.each(unstorable)("is refused with a TypeError before a model call if it has %s", async (_, value) => {
    const model = createScriptedModel([]);
    const client = createAgentClient(agent, { modelProvider: model, context: {} });
    await expect(client.prompt(messages(value))).rejects.toThrow(
      /^Invalid prompt input: \[0\]\.value\S{0,210}: /,
    );
    const parts = [{ type: "text" as const, text: "Hi.", value }];
    await expect(client.prompt(parts)).rejects.toThrow(/^Invalid prompt input: content\[0\]\.value/);
    expect(model.requests).toEqual([]);
  });

  it.each(
    unstorable.flatMap(([what, value]) =>
      (["completed", "turn", "step"] as const).map((when) => ({ what, value, when })),
    ),
  )("ends a stored run ($when) before a model call if it has $what", async ({ value, when }) => {
    const model = createScriptedModel([]);
    const memory = { provider: createInMemoryProvider(), autoStore: true, durability: when };
    const { config } = setup({ model, config: { memory, conversationId: "c" } });
    const { outcome } = await run(says(...(messages(value) as readonly Message[])), config);
    expect(outcome).toMatchObject({
      status: "error",
      error: { _tag: "MemoryError", error: { _tag: "MemoryValidationError" } },
    });
    expect(model.requests).toEqual([]);
  });
});
