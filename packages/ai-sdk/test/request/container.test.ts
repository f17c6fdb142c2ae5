import type { RichMessage } from "@jaf/memory";
import { expect, it } from "vitest";
import { createAiSdkProvider } from "../../src/index.ts";
import { ask, USER } from "../support/asked.ts";
import { modelSaying } from "../support/models.ts";

const mock = modelSaying([]);
const origin = { provider: mock.provider, api: "ai-sdk-v3", model: mock.modelId };
const calling: RichMessage = {
  role: "assistant",
  content: "",
  tool_calls: [{ id: "a", type: "function", function: { name: "find", arguments: "{}" } }],
  providerMetadata: { anthropic: { container: { id: "container_1", skills: null } } },
  origin,
};
const result: RichMessage = { role: "tool", content: "done", tool_call_id: "a" };

it.each<[string, readonly RichMessage[], object]>([
  ["waits for results", [USER, calling, result], { id: "container_1" }],
  ["has ended", [USER, calling, result, { role: "assistant", content: "Bye.", origin }, USER], {}],
  ["is another model's", [USER, { ...calling, origin: { ...origin, model: "other" } }, result], {}],
])("the container of Claude's code is named if the code %s", async (_when, messages, named) => {
  const model = modelSaying([[{ type: "text", text: "Hi" }]]);
  const skills = [{ type: "anthropic", skillId: "xlsx" }];
  const providerOptions = { anthropic: { container: { skills } } };
  await ask(createAiSdkProvider(model, { providerOptions }), { messages });
  expect(model.doGenerateCalls[0]?.providerOptions).toEqual({
    anthropic: { container: { skills, ...named } },
  });
});
