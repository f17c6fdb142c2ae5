import { createTool, run, runStream, ToolResponse } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { configOf, fakeChat, providerOf, rich, says } from "../support/setup.ts";

const weather = createTool({
  name: "get_weather",
  description: "The weather of a city.",
  parameters: z.object({ city: z.string(), days: z.int().default(1) }),
  execute: async ({ city }) => ToolResponse.success(`Sunny in ${city}.`),
});

const call = (id: string, name: string, args: unknown) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

const origin = { provider: "openai", api: "chat", model: "gpt-test" };

describe.each(["whole", "streamed"])("a reply that is %s", (way) => {
  const start = async (...[state, { config }]: [ReturnType<typeof says>, ReturnType<typeof configOf>]) =>
    way === "whole"
      ? run<unknown, unknown>(state, config)
      : runStream<unknown, unknown>(state, config).result;

  it("calls tools, answers and reports its usage", async () => {
    const fake = await fakeChat([
      { kind: "reply", message: { tool_calls: [call("call_1", "get_weather", { city: "Pune" })] } },
      "It is sunny in Pünē 🌞.",
    ]);
    const set = configOf(providerOf(fake), { tools: [weather] });
    const result = await start(says("How is the weather?"), set);
    expect(fake.refusals).toEqual([]);
    expect(result.outcome).toEqual({ status: "completed", output: "It is sunny in Pünē 🌞." });
    expect(rich(result)[1]).toEqual({
      role: "assistant",
      content: "",
      tool_calls: [call("call_1", "get_weather", { city: "Pune" })],
      origin,
    });
    expect(fake.requests[0]?.body).toMatchObject({
      model: "gpt-test",
      messages: [
        { role: "system", content: "You help." },
        { role: "user", content: "How is the weather?" },
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
          },
        },
      ],
    });
    expect(fake.requests[0]?.headers["authorization"]).toBe("Bearer sk-test-key");
    const ends = set.events.filter(({ type }) => type === "llm_call_end");
    expect(ends.at(-1)).toMatchObject({
      data: {
        usage: { inputTokens: 20, outputTokens: 10, cachedInputTokens: 8, reasoningTokens: 4 },
        finishReason: "stop",
      },
    });
  });

  it("keeps unknown fields and sends them back unchanged", async () => {
    const opaque = {
      annotations: [{ type: "url_citation", url_citation: { url: "https://a.example", start_index: 0 } }],
      reasoning_details: [
        {
          type: "reasoning.text",
          text: "Let me think about it.",
          signature: "c2ln",
          index: 0,
          format: "anthropic",
        },
        { type: "reasoning.encrypted", data: "b3BhcXVl", id: "rs_1", index: 0 },
      ],
      reasoning: "Let me think about it.",
      custom_field: { nested: [1, null, true] },
    };
    const fake = await fakeChat([{ kind: "reply", message: { content: "Yes.", ...opaque } }, "Bye."], {
      mode: "openrouter",
    });
    const set = configOf(providerOf(fake, { dialect: "compatible" }));
    const first = await start(says("Hm?"), set);
    const source = { type: "source", id: "source-1", sourceType: "url", url: "https://a.example" };
    const content = [{ type: "text", text: "Yes." }, source];
    expect(rich(first)[1]).toEqual({ role: "assistant", content, ...opaque, origin });
    const messages = [...first.finalState.messages, { role: "user" as const, content: "And?" }];
    await start({ ...says("And?"), messages }, set);
    expect(fake.refusals).toEqual([]);
    expect(fake.requests[1]?.messages[2]).toEqual({ role: "assistant", content: "Yes.", ...opaque });
  });

  it("has its refusal as the output", async () => {
    const fake = await fakeChat([{ kind: "reply", message: { content: null, refusal: "I can't do that." } }]);
    const result = await start(says("Hm?"), configOf(providerOf(fake)));
    expect(result.outcome).toEqual({ status: "completed", output: "I can't do that." });
  });
});

describe("a provider", () => {
  it("streams text and reasoning", async () => {
    const fake = await fakeChat([
      { kind: "reply", message: { reasoning_content: "Thinking it over.", content: "The answer is 42." } },
    ]);
    const { config, events } = configOf(providerOf(fake));
    const stream = runStream<unknown, string>(says("Hm?"), config);
    await stream.result;
    const told = (type: string) =>
      events.map((event) => (event.type === type && "text" in event.data ? event.data.text : "")).join("");
    expect(told("llm_delta")).toBe("The answer is 42.");
    expect(told("llm_reasoning_delta")).toBe("Thinking it over.");
  });

  it("sends the agent's model settings", async () => {
    const fake = await fakeChat(["Ok."]);
    const { config } = configOf(providerOf(fake, { model: "gpt-5.1", body: { store: false } }), {
      tools: [weather],
      modelConfig: {
        temperature: 0.5,
        topP: 0.9,
        maxTokens: 100,
        reasoningEffort: "low",
        toolChoice: { tool: "get_weather" },
        providerOptions: {
          // xAI answers a deferred request without a reply. Of several choices, only one is read.
          openai: {
            service_tier: "flex",
            store: true,
            model: "gpt-other",
            messages: [],
            deferred: true,
            n: 2,
          },
        },
      },
    });
    await run(says("Hm?"), config);
    expect(fake.refusals).toEqual([]);
    expect(fake.requests[0]?.body).toMatchObject({
      model: "gpt-5.1",
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 100,
      reasoning_effort: "low",
      tool_choice: { type: "function", function: { name: "get_weather" } },
      service_tier: "flex",
      store: true,
    });
    expect(fake.requests[0]?.body).not.toHaveProperty("deferred");
    expect(fake.requests[0]?.body).not.toHaveProperty("n");
  });

  it.each([
    ["the run's", { modelOverride: "a" }, { name: "b" }, "a"],
    ["the agent's", {}, { name: "b" }, "b"],
    ["its own", {}, {}, "gpt-test"],
  ])("calls %s model", async (_, config, modelConfig, model) => {
    const fake = await fakeChat(["Ok."]);
    await run(says("Hm?"), configOf(providerOf(fake), { modelConfig }, config).config);
    expect(fake.requests[0]?.body["model"]).toBe(model);
  });

  it("sends an object codec as a strict schema and decodes the reply", async () => {
    const outputCodec = z.object({
      city: z.string(),
      sky: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("clear") }),
        z.object({ kind: z.literal("rain"), mm: z.number() }),
      ]),
    });
    const output = { city: "Pune", sky: { kind: "rain", mm: 3 } };
    const fake = await fakeChat([JSON.stringify(output)]);
    const { outcome } = await run(says("Hm?"), configOf(providerOf(fake), { outputCodec }).config);
    expect(fake.refusals).toEqual([]);
    expect(outcome).toEqual({ status: "completed", output });
    expect(fake.requests[0]?.body["response_format"]).toMatchObject({ json_schema: { strict: true } });
  });

  it.each([
    ["an optional property", z.object({ a: z.string().optional() }), { json_schema: { strict: false } }],
    ["a record", z.record(z.string(), z.number()), { json_schema: { strict: false } }],
    ["a text", z.string(), undefined],
    ["a date", z.object({ at: z.date() }), undefined],
  ])("doesn't request strict mode for %s", async (_, outputCodec, expected) => {
    const fake = await fakeChat(["{}"]);
    await run(says("Hm?"), configOf(providerOf(fake), { outputCodec }).config);
    expect(fake.refusals).toEqual([]);
    const format = fake.requests[0]?.body["response_format"];
    if (expected === undefined) expect(format).toBeUndefined();
    else expect(format).toMatchObject(expected);
  });

  it("adds the schema to the instructions if the endpoint doesn't accept one", async () => {
    const outputCodec = z.object({ city: z.string() });
    const fake = await fakeChat(['{"city":"Pune"}'], { mode: "deepseek" });
    const { config } = configOf(providerOf(fake, { dialect: "deepseek" }), { outputCodec });
    const { outcome } = await run(says("Hm?"), config);
    expect(fake.refusals).toEqual([]);
    expect(outcome).toEqual({ status: "completed", output: { city: "Pune" } });
    expect(fake.requests[0]?.body["response_format"]).toEqual({ type: "json_object" });
    expect(fake.requests[0]?.messages[0]?.["content"]).toMatch(/^You help\.\n\n.*JSON schema.*"city"/);
  });

  it("accepts a reply in one piece to a streaming request", async () => {
    const choice = { index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" };
    const fake = await fakeChat([{ kind: "raw", body: JSON.stringify({ choices: [choice] }) }]);
    const { config, events } = configOf(providerOf(fake, { streamUsage: false }));
    const { outcome } = await runStream(says("Hm?"), config).result;
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "llm_delta", data: { agentName: "helper", text: "Hello." } }),
    );
    expect(fake.requests[0]?.body).toMatchObject({ stream: true });
    expect(fake.requests[0]?.body).not.toHaveProperty("stream_options");
  });

  it("sends tools with any schema: a union of objects, a text, anything", async () => {
    const any = { description: "d", execute: async () => "done" };
    const choice = z.discriminatedUnion("action", [
      z.object({ action: z.literal("add"), text: z.string() }),
      z.object({ action: z.literal("list") }),
    ]);
    const inputs: unknown[] = [];
    const tools = [
      createTool({ ...any, name: "notes", parameters: choice }),
      createTool({ ...any, name: "anything", parameters: z.any() }),
      createTool({
        name: "patch",
        description: "d",
        parameters: z.string(),
        execute: async (input) => {
          inputs.push(input);
          return "patched";
        },
      }),
    ];
    const custom = { id: "call_1", type: "custom", custom: { name: "patch", input: "*** Begin" } };
    const fake = await fakeChat([{ kind: "reply", message: { tool_calls: [custom] } }, "Done."]);
    const result = await run(says("Hm?"), configOf(providerOf(fake), { tools }).config);
    expect(fake.refusals).toEqual([]);
    expect(result.outcome.status).toBe("completed");
    expect(inputs).toEqual(["*** Begin"]);
    expect(fake.requests[0]?.body["tools"]).toMatchObject([
      {
        function: { parameters: { properties: { action: { enum: ["add", "list"] } }, required: ["action"] } },
      },
      { function: { parameters: { type: "object" } } },
      { type: "custom", custom: { name: "patch" } },
    ]);
    expect(fake.requests[1]?.messages[2]?.tool_calls).toEqual([custom]);

    const asFunction = { ...call("call_1", "patch", { input: "*** End" }) };
    const other = await fakeChat([{ kind: "reply", message: { tool_calls: [asFunction] } }, "Done."]);
    await run(says("Hm?"), configOf(providerOf(other, { dialect: "compatible" }), { tools }).config);
    expect(other.refusals).toEqual([]);
    expect(inputs).toEqual(["*** Begin", "*** End"]);
    expect(other.requests[1]?.messages[2]?.tool_calls).toEqual([asFunction]);
  });

  it("replaces names and ids that the API refuses, and finds the tool again", async () => {
    const tools = ["files.read", "files_read", "日本", "x".repeat(80)].map((name) =>
      createTool({ name, description: "d", parameters: z.object({}), execute: async () => `${name} ran` }),
    );
    const fake = await fakeChat([
      ({ body }) => {
        const names = (body["tools"] as readonly { function: { name: string } }[]).map(
          (tool) => tool.function.name,
        );
        return {
          kind: "reply",
          message: { tool_calls: names.map((name, at) => call(`call_${at}`, name, {})) },
        };
      },
      "Done.",
    ]);
    const result = await run(says("Hm?"), configOf(providerOf(fake), { tools }).config);
    expect(fake.refusals).toEqual([]);
    expect(result.outcome.status).toBe("completed");
    expect(
      rich(result)
        .filter(({ role }) => role === "tool")
        .map(({ content }) => content),
    ).toEqual(tools.map(({ schema }) => `${schema.name} ran`));
  });
});
