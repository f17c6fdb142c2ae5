import { createTool, run, runStream, ToolResponse } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../test/fakes/service.ts";
import type { AnthropicProviderOptions } from "../src/index.ts";
import { type AnyAgent, configOf, fakeMessages, origin, providerOf, rich, says } from "./support/setup.ts";

const weather = createTool({
  name: "get_weather",
  description: "The weather of a city.",
  parameters: z.object({ city: z.string(), days: z.int().default(1) }),
  execute: async ({ city }) => ToolResponse.success(`Sunny in ${city}.`),
});

const use = (id: string, name: string, input: JsonObject, further: JsonObject = {}): JsonObject => ({
  type: "tool_use",
  id,
  name,
  input,
  ...further,
});

describe.each(["whole", "streamed"])("a reply that is %s", (way) => {
  const start = async (...[state, { config }]: [ReturnType<typeof says>, ReturnType<typeof configOf>]) =>
    way === "whole"
      ? run<unknown, unknown>(state, config)
      : runStream<unknown, unknown>(state, config).result;

  it("calls tools, answers and reports its usage", async () => {
    const usage = {
      input_tokens: 7,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      output_tokens: 11,
      output_tokens_details: { thinking_tokens: 4 },
    };
    const fake = await fakeMessages([
      {
        kind: "message",
        content: [
          { type: "text", text: "I'll look." },
          use("toolu_1", "get_weather", { city: "Pune" }, { caller: { type: "direct" } }),
        ],
      },
      { kind: "message", content: [{ type: "text", text: "It is sunny in Pünē 🌞." }], fields: { usage } },
    ]);
    const set = configOf(providerOf(fake), { tools: [weather] });
    const result = await start(says("How is the weather?"), set);
    expect(fake.refusals).toEqual([]);
    expect(result.outcome).toEqual({ status: "completed", output: "It is sunny in Pünē 🌞." });
    expect(rich(result)[1]).toEqual({
      role: "assistant",
      id: expect.stringMatching(/^msg_/),
      content: "I'll look.",
      tool_calls: [
        {
          id: "toolu_1",
          type: "function",
          function: { name: "get_weather", arguments: '{"city":"Pune"}' },
          caller: { type: "direct" },
        },
      ],
      origin,
    });
    expect(fake.requests[1]?.body["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "How is the weather?" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I'll look." },
          use("toolu_1", "get_weather", { city: "Pune" }, { caller: { type: "direct" } }),
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_1", content: expect.any(String) }],
      },
    ]);
    const ends = set.events.filter(({ type }) => type === "llm_call_end");
    expect(ends.at(-1)).toMatchObject({
      data: {
        usage: {
          inputTokens: 127,
          outputTokens: 11,
          cachedInputTokens: 100,
          cacheWriteTokens: 20,
          reasoningTokens: 4,
        },
        finishReason: "end_turn",
      },
    });
  });

  it("keeps each block, even of unknown types, and sends them back unchanged", async () => {
    const content = [
      { type: "thinking", thinking: "Let me think.", signature: "c2ln" },
      { type: "redacted_thinking", data: "b3BhcXVl" },
      { type: "text", text: "I'll search." },
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "JAF" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [{ type: "web_search_result", url: "https://a.example", encrypted_content: "ZW5j" }],
      },
      { type: "thinking", thinking: "", signature: "bW9yZQ==" },
      { type: "text", text: "It is " },
      { type: "text", text: "an engine", citations: [{ type: "web_search_result_location", url: "…" }] },
      { type: "text", text: "." },
      use("toolu_1", "get_weather", { city: "Pune" }),
    ];
    const fake = await fakeMessages([{ kind: "message", content }, "Bye."]);
    const result = await start(says("Hm?"), configOf(providerOf(fake), { tools: [weather] }));
    expect(fake.refusals).toEqual([]);
    expect(rich(result)[1]).toMatchObject({
      content: [
        { type: "reasoning", text: "Let me think.", signature: "c2ln" },
        { type: "reasoning", encrypted: "b3BhcXVl" },
        { type: "text", text: "I'll search." },
        { type: "provider-tool-call", id: "srvtoolu_1", name: "web_search" },
        { type: "provider-tool-result", id: "srvtoolu_1" },
        { type: "reasoning", text: "", signature: "bW9yZQ==" },
        { type: "text", text: "It is an engine." },
        { type: "source", id: "source-1", url: "…", ranges: [{ start: 6, end: 15 }] },
        { type: "tool-call", id: "toolu_1" },
      ],
    });
    expect(fake.requests[1]?.body["messages"]).toMatchObject([{}, { role: "assistant", content }, {}]);
  });

  it("continues a paused reply and joins it into one", async () => {
    const search = (id: string) => ({
      type: "server_tool_use",
      id,
      name: "web_search",
      input: { query: id },
    });
    const found = (id: string) => ({ type: "web_search_tool_result", tool_use_id: id, content: [] });
    const paused = (...content: readonly JsonObject[]) =>
      ({ kind: "message", content, fields: { stop_reason: "pause_turn" } }) as const;
    const fake = await fakeMessages([
      paused({ type: "text", text: "One. " }, search("srvtoolu_1")),
      paused(found("srvtoolu_1"), search("srvtoolu_2")),
      { kind: "message", content: [found("srvtoolu_2"), { type: "text", text: "Two." }] },
    ]);
    const set = configOf(providerOf(fake));
    const result = await start(says("Hm?"), set);
    expect(fake.refusals).toEqual([]);
    expect(result.outcome).toEqual({ status: "completed", output: "One. \nTwo." });
    expect(rich(result)).toHaveLength(2);
    expect(fake.requests.map(({ body }) => (body["messages"] as readonly JsonObject[]).slice(1))).toEqual([
      [],
      [{ role: "assistant", content: [{ type: "text", text: "One. " }, search("srvtoolu_1")] }],
      [
        {
          role: "assistant",
          content: [
            { type: "text", text: "One. " },
            search("srvtoolu_1"),
            found("srvtoolu_1"),
            search("srvtoolu_2"),
          ],
        },
      ],
    ]);
    expect(set.events.find(({ type }) => type === "llm_call_end")).toMatchObject({
      data: { finishReason: "end_turn", usage: { inputTokens: 300, outputTokens: 60 } },
    });
  });

  it("doesn't send the open call of a reply that stayed paused", async () => {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const content = [{ type: "text", text: "Wait." }, search];
    const fake = await fakeMessages([
      { kind: "message", content, fields: { stop_reason: "pause_turn" } },
      "Bye.",
    ]);
    const set = configOf(providerOf(fake, { maxContinuations: 0 }));
    const first = await start(says("Hm?"), set);
    expect(set.events.find(({ type }) => type === "llm_call_end")).toMatchObject({
      data: { finishReason: "pause_turn" },
    });
    const messages = [...first.finalState.messages, { role: "user" as const, content: "And?" }];
    await start({ ...says("And?"), messages }, set);
    expect(fake.refusals).toEqual([]);
    expect(fake.requests[1]?.body["messages"]).toMatchObject([
      {},
      { content: [{ type: "text", text: "Wait." }] },
      {},
    ]);
  });

  it("sends the code's container with the results of its calls", async () => {
    const code = { type: "server_tool_use", id: "srvtoolu_1", name: "code_execution", input: { code: "…" } };
    const caller = { type: "code_execution_20250825", tool_id: "srvtoolu_1" };
    const fake = await fakeMessages([
      {
        kind: "message",
        content: [
          { type: "text", text: "Running." },
          code,
          use("toolu_1", "get_weather", { city: "Pune" }, { caller }),
        ],
        fields: { container: { id: "container_1", expires_at: "2026-11-25T00:00:00Z" } },
      },
      "Done.",
    ]);
    await start(says("Hm?"), configOf(providerOf(fake), { tools: [weather] }));
    expect(fake.refusals).toEqual([]);
    expect(fake.requests[1]?.body).toMatchObject({
      container: "container_1",
      messages: [{}, { content: [{}, code, { type: "tool_use", caller }] }, {}],
    });
  });

  it("sends calls from code without their caller if the user went on before the code ended", async () => {
    const caller = { type: "code_execution_20250825", tool_id: "srvtoolu_1" };
    const code = { type: "server_tool_use", id: "srvtoolu_1", name: "code_execution", input: { code: "…" } };
    const content = [code, use("toolu_1", "get_weather", { city: "Pune" }, { caller })];
    const fake = await fakeMessages([{ kind: "message", content }, "Bye."]);
    const set = configOf(providerOf(fake), { tools: [weather] }, { maxTurns: 1 });
    const first = await start(says("Hm?"), set);
    const messages = [...first.finalState.messages, { role: "user" as const, content: "Never mind." }];
    await start({ ...says("Hm?"), messages }, set);
    expect(fake.refusals).toEqual([]);
    expect(fake.requests[1]?.body["messages"]).toMatchObject([
      {},
      { content: [use("toolu_1", "get_weather", { city: "Pune" })] },
      { content: [{ type: "tool_result" }, { type: "text", text: "Never mind." }] },
    ]);
    expect(JSON.stringify(fake.requests[1]?.body)).not.toContain("caller");
  });

  it("runs a tool with text input, and sends its image in the result", async () => {
    const data = Uint8Array.of(137, 80, 78, 71);
    const draw = createTool({
      name: "draw",
      description: "d",
      parameters: z.string(),
      execute: async (what) => ({
        parts: [
          { type: "text", text: what },
          { type: "media", mediaType: "image/png", data },
        ],
      }),
    });
    const fake = await fakeMessages([
      { kind: "message", content: [use("toolu_1", "draw", { input: "a cat" })] },
      "There.",
    ]);
    const result = await start(says("Draw"), configOf(providerOf(fake), { tools: [draw] }));
    expect(fake.refusals).toEqual([]);
    expect(rich(result)[1]?.tool_calls).toEqual([
      { id: "toolu_1", type: "custom", custom: { name: "draw", input: "a cat" } },
    ]);
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw==" } };
    expect(fake.requests[1]?.body["messages"]).toMatchObject([
      {},
      { content: [use("toolu_1", "draw", { input: "a cat" })] },
      { content: [{ type: "tool_result", content: [{ type: "text", text: "a cat" }, image] }] },
    ]);
  });
});

/** The body of one request. */
async function bodyOf(agent: Partial<AnyAgent>, options: AnthropicProviderOptions = {}, config: object = {}) {
  const fake = await fakeMessages(['{"city":"Pune"}']);
  const set = configOf(providerOf(fake, options), agent, config);
  const { outcome } = await run<unknown, unknown>(says("Hm?"), set.config);
  expect(fake.refusals).toEqual([]);
  const { headers, body } = fake.requests[0] ?? { headers: {}, body: {} };
  return { outcome, beta: headers["anthropic-beta"], body };
}

describe("a provider", () => {
  it("streams text and thinking", async () => {
    const fake = await fakeMessages([
      {
        kind: "message",
        content: [
          { type: "thinking", thinking: "Thinking it over.", signature: "c2ln" },
          { type: "text", text: "The answer is 42." },
        ],
      },
    ]);
    const { config, events } = configOf(providerOf(fake));
    await runStream<unknown, string>(says("Hm?"), config).result;
    const told = (type: string) =>
      events.map((event) => (event.type === type && "text" in event.data ? event.data.text : "")).join("");
    expect(told("llm_delta")).toBe("The answer is 42.");
    expect(told("llm_reasoning_delta")).toBe("Thinking it over.");
  });

  it("accepts a reply in one piece to a streaming request", async () => {
    const body = { type: "message", content: [{ type: "text", text: "Hello." }], stop_reason: "end_turn" };
    const fake = await fakeMessages([{ kind: "raw", body: JSON.stringify(body) }]);
    const { config, events } = configOf(providerOf(fake));
    const { outcome } = await runStream(says("Hm?"), config).result;
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "llm_delta", data: { agentName: "helper", text: "Hello." } }),
    );
    expect(fake.requests[0]?.body).toMatchObject({ stream: true });
  });

  it("sends the agent's model settings", async () => {
    const { body, beta } = await bodyOf(
      {
        tools: [weather],
        modelConfig: {
          temperature: 1.5,
          topP: 0.9,
          maxTokens: 100,
          toolChoice: { tool: "get_weather" },
          providerOptions: {
            anthropic: {
              tools: [{ type: "web_search_20250305", name: "web_search" }],
              disable_parallel_tool_use: true,
              service_tier: "auto",
              betas: ["b", "c"],
              model: "claude-other",
              messages: [],
              system: "other",
              stream: true,
            },
          },
        },
      },
      { body: { metadata: { user_id: "ada" }, service_tier: "standard_only" }, betas: ["a", "b"] },
    );
    expect(beta).toBe("a,b,c");
    expect(body).toMatchInlineSnapshot(`
      {
        "max_tokens": 100,
        "messages": [
          {
            "content": [
              {
                "text": "Hm?",
                "type": "text",
              },
            ],
            "role": "user",
          },
        ],
        "metadata": {
          "user_id": "ada",
        },
        "model": "claude-sonnet-4-5",
        "service_tier": "auto",
        "system": [
          {
            "text": "You help.",
            "type": "text",
          },
        ],
        "temperature": 1,
        "tool_choice": {
          "disable_parallel_tool_use": true,
          "name": "get_weather",
          "type": "tool",
        },
        "tools": [
          {
            "description": "The weather of a city.",
            "input_schema": {
              "properties": {
                "city": {
                  "type": "string",
                },
                "days": {
                  "default": 1,
                  "maximum": 9007199254740991,
                  "minimum": -9007199254740991,
                  "type": "integer",
                },
              },
              "required": [
                "city",
              ],
              "type": "object",
            },
            "name": "get_weather",
          },
          {
            "name": "web_search",
            "type": "web_search_20250305",
          },
        ],
      }
    `);
  });

  it.each([
    [
      { context_management: { edits: [{ type: "clear_thinking_20251015" }] } },
      "context-management-2025-06-27",
    ],
    [{ context_management: { edits: [{ type: "compact_20260112" }] } }, "compact-2026-01-12"],
    [{ mcp_servers: [] }, "mcp-client-2025-11-20"],
    [{ container: { skills: [] } }, "skills-2025-10-02"],
    [{ tools: [{ type: "computer_20251124", name: "computer" }] }, "computer-use-2025-11-24"],
    [{ tools: [{ type: "advisor_20260301", name: "advisor" }] }, "advisor-tool-2026-03-01"],
    [{ fallbacks: "default" }, "server-side-fallback-2026-07-01"],
    [{ output_config: { task_budget: { type: "tokens", total: 9 } } }, "task-budgets-2026-03-13"],
    [{ tools: [{ type: "bash_20250124", name: "bash" }] }, undefined],
    [{ mcp_servers: [], betas: ["mcp-client-2025-04-04"] }, "mcp-client-2025-04-04"],
  ])("asks with %j for the beta %s", async (anthropic, beta) => {
    expect((await bodyOf({ modelConfig: { providerOptions: { anthropic } } })).beta).toBe(beta);
  });

  it.each([
    ["the run's", { modelOverride: "a" }, { name: "b" }, "a"],
    ["the agent's", {}, { name: "b" }, "b"],
    ["its own", {}, {}, origin.model],
  ])("calls %s model", async (_, config, modelConfig, model) => {
    expect((await bodyOf({ modelConfig }, {}, config)).body["model"]).toBe(model);
  });

  it.each([
    ["claude-sonnet-4-5", { temperature: 0.5, topP: 0.9 }, { temperature: 0.5 }],
    ["claude-sonnet-4-5", { topP: 0.9 }, { top_p: 0.9 }],
    ["claude-sonnet-4-5", { temperature: 0.5, reasoningEffort: "low" }, {}],
    ["claude-opus-5-5", { temperature: 0.5, topP: 0.9 }, {}],
    ["minimax-m2", { temperature: 0.5, topP: 0.9 }, { temperature: 0.5, top_p: 0.9 }],
  ] as const)("%s takes of %j so much: %j", async (model, modelConfig, expected) => {
    const { body } = await bodyOf({ modelConfig }, { model });
    const { temperature, top_p } = body;
    expect({ temperature, top_p }).toEqual({ temperature: undefined, top_p: undefined, ...expected });
  });

  it("sends an object codec as a closed schema and decodes the reply", async () => {
    const outputCodec = z.object({
      city: z.string().min(2).describe("Where"),
      sky: z
        .discriminatedUnion("kind", [
          z.object({ kind: z.literal("clear") }),
          z.object({ kind: z.literal("rain"), mm: z.number().positive() }),
        ])
        .optional(),
    });
    const { body, outcome } = await bodyOf({ outputCodec });
    expect(outcome).toEqual({ status: "completed", output: { city: "Pune" } });
    expect(body["output_config"]).toMatchInlineSnapshot(`
      {
        "format": {
          "schema": {
            "additionalProperties": false,
            "properties": {
              "city": {
                "description": "Where (minLength: 2)",
                "type": "string",
              },
              "sky": {
                "anyOf": [
                  {
                    "additionalProperties": false,
                    "properties": {
                      "kind": {
                        "const": "clear",
                        "type": "string",
                      },
                    },
                    "required": [
                      "kind",
                    ],
                    "type": "object",
                  },
                  {
                    "additionalProperties": false,
                    "properties": {
                      "kind": {
                        "const": "rain",
                        "type": "string",
                      },
                      "mm": {
                        "description": "(exclusiveMinimum: 0)",
                        "type": "number",
                      },
                    },
                    "required": [
                      "kind",
                      "mm",
                    ],
                    "type": "object",
                  },
                ],
              },
            },
            "required": [
              "city",
            ],
            "type": "object",
          },
          "type": "json_schema",
        },
      }
    `);
  });

  const tree: z.ZodType = z.lazy(() => z.object({ city: z.string(), next: tree.optional() }));
  it.each([
    ["a record", z.object({ city: z.string(), more: z.record(z.string(), z.number()).optional() }), {}],
    ["an object with any properties", z.looseObject({ city: z.string() }), {}],
    ["a recursive schema", tree, {}],
    [
      "too many optional properties",
      z.object(Object.fromEntries([..."abcdefghijk"].map((name) => [name, z.string().optional()]))),
      {},
    ],
    ["a model without schemas", z.object({ city: z.string() }), { model: "claude-opus-4-1" }],
    ["a provider with that option", z.object({ city: z.string() }), { outputFormat: "instructions" }],
  ] as const)("adds the schema to the instructions for %s", async (_, outputCodec, options) => {
    const { body } = await bodyOf({ outputCodec }, options);
    expect(body["output_config"]).toBeUndefined();
    expect(body["system"]).toMatchObject([
      { text: "You help." },
      { text: expect.stringMatching(/JSON schema: \{/) },
    ]);
  });

  it.each([
    ["a text", z.string(), {}],
    ["a date", z.object({ at: z.date() }), {}],
    ["the option none", z.object({ city: z.string() }), { outputFormat: "none" }],
  ] as const)("sends no format for %s", async (_, outputCodec, options) => {
    const { body } = await bodyOf({ outputCodec }, options);
    expect(body["output_config"]).toBeUndefined();
    expect(body["system"]).toEqual([{ type: "text", text: "You help." }]);
  });

  it("replaces names that the API refuses, and finds the tool again", async () => {
    const tools = ["files.read", "files_read", "日本", "x".repeat(80)].map((name) =>
      createTool({ name, description: "d", parameters: z.object({}), execute: async () => `${name} ran` }),
    );
    const fake = await fakeMessages([
      ({ body }) => ({
        kind: "message",
        content: (body["tools"] as readonly JsonObject[]).map(({ name }, at) =>
          use(`toolu_${at}`, String(name), {}),
        ),
      }),
      "Done.",
    ]);
    const result = await run(says("Hm?"), configOf(providerOf(fake), { tools }).config);
    expect(fake.refusals).toEqual([]);
    expect(
      rich(result)
        .filter(({ role }) => role === "tool")
        .map(({ content }) => content),
    ).toEqual(tools.map(({ schema }) => `${schema.name} ran`));
  });
});
