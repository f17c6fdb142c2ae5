import type { RichMessage } from "@jaf/memory";
import { expect, it } from "vitest";
import { createAiSdkProvider } from "../../src/index.ts";
import { ask, USER } from "../support/asked.ts";
import { modelSaying } from "../support/models.ts";

const mock = modelSaying([[{ type: "text", text: "Hi" }]]);
const origin = { provider: mock.provider, api: "ai-sdk-v3", model: mock.modelId };

const calling = (more: Partial<RichMessage>): RichMessage => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id: "a", type: "function", function: { name: "find", arguments: "{}" } }],
  ...more,
});
const thinking = calling({
  content: [
    { type: "reasoning", text: "Hm." },
    { type: "tool-call", id: "a" },
  ],
});
const result: RichMessage = { role: "tool", content: "done", tool_call_id: "a" };
const bye: RichMessage = { role: "assistant", content: "Bye." };

it.each<[string, readonly RichMessage[], string]>([
  ["nothing was called", [USER], "enabled"],
  ["its own turn began with thinking", [USER, { ...thinking, origin }, result], "enabled"],
  ["another model's turn is under way", [USER, thinking, result], "disabled"],
  ["its own turn is, which began without", [USER, calling({ origin }), result], "disabled"],
  ["the user said something since", [USER, thinking, result, USER], "disabled"],
  ["another model's turn is over", [USER, thinking, result, bye, USER], "enabled"],
])("Claude is told to think where %s: %s", async (_when, messages, expected) => {
  const model = modelSaying([[{ type: "text", text: "Hi" }]]);
  const enabled = { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 }, effort: "low" } };
  await ask(createAiSdkProvider(model, { providerOptions: enabled }), { messages });
  const { anthropic } = model.doGenerateCalls[0]?.providerOptions ?? {};
  expect(anthropic).toMatchObject({ thinking: { type: expected }, effort: "low" });
});
