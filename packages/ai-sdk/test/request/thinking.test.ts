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
  ["there are no calls", [USER], "enabled"],
  ["its own step begins with thinking", [USER, { ...thinking, origin }, result], "enabled"],
  ["another model's step isn't finished", [USER, thinking, result], "disabled"],
  ["its own step has no thinking and isn't finished", [USER, calling({ origin }), result], "disabled"],
  ["a user message follows such a step", [USER, thinking, result, USER], "disabled"],
  ["another model's turn has ended", [USER, thinking, result, bye, USER], "enabled"],
])("thinking is set for Claude if %s: %s", async (_when, messages, expected) => {
  const model = modelSaying([[{ type: "text", text: "Hi" }]]);
  const enabled = { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 }, effort: "low" } };
  await ask(createAiSdkProvider(model, { providerOptions: enabled }), { messages });
  const { anthropic } = model.doGenerateCalls[0]?.providerOptions ?? {};
  expect(anthropic).toMatchObject({ thinking: { type: expected }, effort: "low" });
});
