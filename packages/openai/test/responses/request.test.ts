import { type CacheableConfig, createTool, type RunConfig, run, runStream } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { OpenAIResponsesProviderOptions } from "../../src/index.ts";
import { fakeResponses, responsesOf } from "../support/responses.ts";
import { type AnyAgent, configOf, says } from "../support/setup.ts";

const look = createTool({
  name: "look.up",
  description: "Looks something up.",
  parameters: z.object({ what: z.string(), page: z.int().optional() }),
  execute: () => "found",
});
const shell = createTool({
  name: "shell",
  description: "Runs a command.",
  parameters: z.string(),
  execute: () => "done",
});

interface Asked {
  readonly agent?: Partial<AnyAgent>;
  readonly config?: Partial<RunConfig<unknown>>;
  readonly options?: OpenAIResponsesProviderOptions;
  readonly way?: "whole" | "streamed";
}

async function bodyOf({ agent = {}, config = {}, options = {}, way = "whole" }: Asked = {}) {
  const fake = await fakeResponses(["Ok."], { isStoring: true });
  const set = configOf(responsesOf(fake, options), agent, config);
  await (way === "whole" ? run(says("Hi"), set.config) : runStream(says("Hi"), set.config).result);
  expect(fake.refusals).toEqual([]);
  return fake.requests[0] ?? {};
}

describe("the body of a request", () => {
  it("disables storage at OpenAI, and requests encrypted reasoning", async () => {
    expect(await bodyOf()).toEqual({
      model: "gpt-test",
      instructions: "You help.",
      input: [{ role: "user", content: "Hi" }],
      store: false,
      include: ["reasoning.encrypted_content"],
    });
  });

  it("has all settings of an agent", async () => {
    const agent: Partial<AnyAgent> = {
      tools: [look, shell],
      outputCodec: z.object({ city: z.string(), notes: z.record(z.string(), z.string()) }),
      cacheable: { instructions: true, tools: true },
      modelConfig: {
        name: "gpt-5.1",
        temperature: 0.5,
        topP: 0.9,
        maxTokens: 1000,
        reasoningEffort: "low",
        toolChoice: { tool: "look.up" },
        providerOptions: {
          openai: {
            parallel_tool_calls: false,
            service_tier: "flex",
            reasoning: { summary: "detailed" },
            text: { verbosity: "low" },
            include: ["web_search_call.action.sources"],
            tools: [{ type: "web_search" }],
          },
        },
      },
    };
    expect(await bodyOf({ agent, options: { reasoningSummary: "auto" }, way: "streamed" })).toEqual({
      model: "gpt-5.1",
      instructions: "You help.",
      input: [{ role: "user", content: "Hi" }],
      store: false,
      include: ["reasoning.encrypted_content", "web_search_call.action.sources"],
      tools: [
        {
          type: "function",
          name: "look_up",
          description: "Looks something up.",
          parameters: {
            type: "object",
            properties: {
              what: { type: "string" },
              page: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
            },
            required: ["what"],
          },
          strict: false,
        },
        { type: "custom", name: "shell", description: "Runs a command." },
        { type: "web_search" },
      ],
      tool_choice: { type: "function", name: "look_up" },
      prompt_cache_key: "32c4aa9174aeeaff0491854e9b237157",
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 1000,
      parallel_tool_calls: false,
      service_tier: "flex",
      reasoning: { effort: "low", summary: "detailed" },
      text: {
        format: {
          type: "json_schema",
          name: "output",
          schema: {
            type: "object",
            properties: {
              city: { type: "string" },
              notes: {
                type: "object",
                propertyNames: { type: "string" },
                additionalProperties: { type: "string" },
              },
            },
            required: ["city", "notes"],
          },
          strict: false,
        },
        verbosity: "low",
      },
      stream: true,
    });
  });

  it("leaves out fields that would move the conversation to OpenAI", async () => {
    const body = await bodyOf({
      options: {
        body: { input: "x", model: "y", stream: true, background: true, previous_response_id: "resp_0" },
      },
    });
    expect(body).toMatchObject({ model: "gpt-test", input: [{ role: "user", content: "Hi" }] });
    expect(Object.keys(body)).toEqual(["model", "instructions", "input", "store", "include"]);
  });

  it.each<[string, Asked, unknown]>([
    ["by default", {}, ["reasoning.encrypted_content"]],
    ["model without reasoning", { options: { model: "gpt-4.1-mini" } }, undefined],
    ["fine-tuned model without reasoning", { options: { model: "ft:gpt-4o:a::b" } }, undefined],
    ["another endpoint", { options: { dialect: "compatible" } }, undefined],
    ["disabled by the option", { options: { encryptedReasoning: false } }, undefined],
    [
      "enabled by the option",
      { options: { dialect: "compatible", encryptedReasoning: true } },
      ["reasoning.encrypted_content"],
    ],
  ])("requests encrypted reasoning as expected: %s", async (_, asked, expected) => {
    expect((await bodyOf(asked))["include"]).toEqual(expected);
  });

  it.each<[string, Asked, boolean]>([
    ["by default", {}, false],
    ["by the option", { options: { store: true } }, true],
    [
      "by the agent, which overrides the option",
      { options: { store: true }, agent: { modelConfig: { providerOptions: { openai: { store: false } } } } },
      false,
    ],
  ])("sets `store` %s", async (_, asked, store) => {
    expect((await bodyOf(asked))["store"]).toBe(store);
  });

  it("has no output format if the option is none", async () => {
    const agent = { outputCodec: z.object({ a: z.string() }) };
    expect((await bodyOf({ agent, options: { outputFormat: "none" } }))["text"]).toBeUndefined();
    expect((await bodyOf({ agent: { outputCodec: z.string() } }))["text"]).toBeUndefined();
  });

  it("chooses a custom tool by its type", async () => {
    const agent = { tools: [shell], modelConfig: { toolChoice: { tool: "shell" } } };
    expect((await bodyOf({ agent }))["tool_choice"]).toEqual({ type: "custom", name: "shell" });
  });
});

describe("prompt_cache_key", () => {
  const keyOf = async (cacheable: CacheableConfig | undefined, asked: Asked = {}) =>
    (await bodyOf({ ...asked, agent: { tools: [look], ...(cacheable && { cacheable }), ...asked.agent } }))[
      "prompt_cache_key"
    ];
  const both = { instructions: true, tools: true };

  it("is short, and the same in each call of an agent", async () => {
    const key = await keyOf(both);
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(await keyOf(both, { config: { conversationId: "another" } })).toBe(key);
    expect(await keyOf({ ...both, ttl: "5m" })).toBe(key);
  });

  it.each<[string, Asked]>([
    ["model", { options: { model: "gpt-other" } }],
    ["instructions", { agent: { instructions: () => "You don't." } }],
    ["tools", { agent: { tools: [shell] } }],
    ["name", { agent: { name: "another" } }],
  ])("changes with the %s", async (_, asked) => {
    expect(await keyOf(both, asked)).not.toBe(await keyOf(both));
  });

  it("doesn't depend on undeclared parts", async () => {
    const changed = { agent: { instructions: () => `It is ${Math.random()}.` } };
    expect(await keyOf({ tools: true }, changed)).toBe(await keyOf({ tools: true }));
  });

  it.each([4, "all"] as const)(
    "depends on the conversation if messages are cacheable: %j",
    async (messages) => {
      const key = (conversationId: string) => keyOf({ ...both, messages }, { config: { conversationId } });
      expect(await key("a")).toBe(await key("a"));
      expect(await key("a")).not.toBe(await key("b"));
      expect(await key("a")).not.toContain("a-");
    },
  );

  it.each<[string, CacheableConfig | undefined, Asked]>([
    ["declares nothing", undefined, {}],
    ["declares no region", { instructions: false, messages: 0, ttl: "1h" }, {}],
    ["is overridden by the call", both, { config: { cache: false } }],
    ["uses another endpoint", both, { options: { dialect: "compatible" } }],
  ])("isn't sent if the agent %s", async (_, cacheable, asked) => {
    expect(await keyOf(cacheable, asked)).toBeUndefined();
  });

  it("uses the call's own cache setting", async () => {
    expect(await keyOf(undefined, { config: { cache: both } })).toBe(await keyOf(both));
  });

  it("is overridden by the provider options", async () => {
    const providerOptions = { openai: { prompt_cache_key: "mine", prompt_cache_retention: "24h" } };
    const body = await bodyOf({ agent: { cacheable: both, modelConfig: { providerOptions } } });
    expect(body).toMatchObject({ prompt_cache_key: "mine", prompt_cache_retention: "24h" });
  });
});
