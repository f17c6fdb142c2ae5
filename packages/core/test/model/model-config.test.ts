import type { Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type ModelConfig, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { assistant, calling, errorOf, result, says, setup, user } from "../support/setup.ts";

const look = createTool({ name: "look", description: "", parameters: z.object({}), execute: () => "seen" });

const settingsOf = async (modelConfig: ModelConfig) => {
  const model = createScriptedModel(["Hello."]);
  const { config } = setup({ model, tools: [look], agent: { modelConfig } });
  const ended = await run(says("Hi"), config);
  return { ended, given: model.requests[0]?.agent.modelConfig };
};

describe("an agent's settings", () => {
  it("reach the provider, which can't change them", async () => {
    const modelConfig: ModelConfig = {
      topP: 0.9,
      reasoningEffort: "high",
      toolChoice: { tool: "look" },
      providerOptions: { openai: { service_tier: "flex", metadata: { team: "a" } } },
    };
    const { given } = await settingsOf(modelConfig);
    expect(given).toEqual(modelConfig);
    const options = given?.providerOptions?.["openai"];
    expect(Object.isFrozen(given) && Object.isFrozen(options) && Object.isFrozen(options?.["metadata"])).toBe(
      true,
    );
  });

  it.each([
    ["topP", { topP: 1.1 }],
    ["topP", { topP: Number.NaN }],
    ["reasoningEffort", { reasoningEffort: "extreme" }],
    ["toolChoice", { toolChoice: "any" }],
    ["toolChoice", { toolChoice: { tool: "" } }],
    ["toolChoice", { toolChoice: { tool: "unknown" } }],
    ["providerOptions", { providerOptions: { openai: "flex" } }],
    ["providerOptions", { providerOptions: { openai: { run: () => {} } } }],
  ])("are refused if %s is invalid: %j", async (field, wrong) => {
    expect(errorOf((await settingsOf(wrong as never)).ended)).toMatchObject({
      _tag: "InternalError",
      detail: expect.stringContaining(`agent "helper": modelConfig.${field}: expected`),
    });
  });
});

describe("a choice of tools", () => {
  const choicesOf = async (
    toolChoice: ModelConfig["toolChoice"],
    ...history: readonly (string | Message)[]
  ) => {
    const model = createScriptedModel([{ toolCalls: [{ name: "look" }] }, "Done."]);
    const { config } = setup({ model, tools: [look], agent: { modelConfig: { toolChoice } as ModelConfig } });
    await run(says(...history), config);
    return model.requests.map(({ agent }) => agent.modelConfig?.toolChoice);
  };

  it.each([["required"], [{ tool: "look" }]] as const)(
    "that is %j holds until a tool was called",
    async (choice) => {
      expect(await choicesOf(choice, "Hi")).toEqual([choice, "auto"]);
    },
  );

  it("applies again after the next user message", async () => {
    const before = [
      user("Hi"),
      calling(["a", "look"]),
      result("a", "seen"),
      assistant("Done."),
      user("Again"),
    ];
    expect(await choicesOf("required", ...before)).toEqual(["required", "auto"]);
  });

  it.each([["auto"], ["none"]] as const)("that is %j holds throughout", async (choice) => {
    expect(await choicesOf(choice, "Hi")).toEqual([choice, choice]);
  });

  it("doesn't apply again when a reply is corrected", async () => {
    const model = createScriptedModel([{ toolCalls: [{ name: "look" }] }, "one", "1"]);
    const agent = { modelConfig: { toolChoice: "required" }, outputCodec: z.number() } as const;
    const { config } = setup({ model, tools: [look], agent });
    expect((await run(says("Hi"), config)).outcome).toMatchObject({ output: 1 });
    expect(model.requests.map((request) => request.agent.modelConfig?.toolChoice)).toEqual([
      "required",
      "auto",
      "auto",
    ]);
  });

  it("doesn't apply to requests outside the conversation, which have no tools", async () => {
    const model = createScriptedModel(["A question answered.", "Hello."]);
    const { config } = setup({
      model,
      tools: [look],
      agent: { modelConfig: { toolChoice: "required", temperature: 0 } },
      config: {
        middleware: [
          {
            name: "asks",
            onStart: async ({ complete }) => void (await complete({ instructions: "", messages: [] })),
          },
        ],
      },
    });
    await run(says("Hi"), config);
    expect(model.requests[0]?.agent.modelConfig).toEqual({ temperature: 0 });
  });
});
