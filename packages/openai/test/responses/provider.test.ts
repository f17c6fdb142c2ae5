import { createRunState, createTool, run, runStream, ToolResponse } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  customCall,
  fakeResponses,
  functionCall,
  inputOf,
  message,
  origin,
  output,
  reasoning,
  responsesOf,
} from "../support/responses.ts";
import { configOf, rich, says } from "../support/setup.ts";

const weather = createTool({
  name: "get_weather",
  description: "The weather of a city.",
  parameters: z.object({ city: z.string(), days: z.int().default(1) }),
  execute: async ({ city }) => ToolResponse.success(`Sunny in ${city}.`),
});

const shell = createTool({
  name: "shell",
  description: "Runs a command.",
  parameters: z.string(),
  execute: async (command) => `ran ${command}`,
});

const user = { role: "user", content: "Hi" } as const;

describe.each(["whole", "streamed"])("a response that is %s", (way) => {
  const start = async (...[state, { config }]: [ReturnType<typeof says>, ReturnType<typeof configOf>]) =>
    way === "whole"
      ? run<unknown, unknown>(state, config)
      : runStream<unknown, unknown>(state, config).result;

  /** Two turns of one stored conversation. */
  async function twoTurns(set: ReturnType<typeof configOf>) {
    const stored = { memory: { provider: createInMemoryProvider(), autoStore: true, userId: "ada" } };
    const config = { ...set.config, ...stored, conversationId: "c" };
    await start(says("Hi"), { ...set, config });
    return start(says("And?"), { ...set, config });
  }

  it("calls tools, answers and reports its usage", async () => {
    const fake = await fakeResponses([
      output(
        reasoning("rs_1", ["I need it.", "So I ask."]),
        functionCall("call_1", "get_weather", { city: "Pune" }, { id: "fc_1" }),
      ),
      "It is sunny in Pünē 🌞.",
    ]);
    const set = configOf(responsesOf(fake), { tools: [weather] });
    const result = await start(says("How is the weather?"), set);
    expect(fake.refusals).toEqual([]);
    expect(result.outcome).toEqual({ status: "completed", output: "It is sunny in Pünē 🌞." });
    expect(rich(result)[1]).toEqual({
      role: "assistant",
      id: expect.stringMatching(/^resp_/),
      content: [
        {
          type: "reasoning",
          text: "I need it.\n\nSo I ask.",
          encrypted: "gAAAA+/rs_1==",
          providerMetadata: {
            openai: {
              item: {
                id: "rs_1",
                summary: [
                  { type: "summary_text", text: "I need it." },
                  { type: "summary_text", text: "So I ask." },
                ],
              },
            },
          },
        },
        { type: "tool-call", id: "call_1" },
      ],
      tool_calls: [
        {
          id: "call_1",
          type: "function",
          function: { name: "get_weather", arguments: '{"city":"Pune"}' },
          providerMetadata: {
            openai: { item: { id: "fc_1", status: "completed" }, reasoningId: "rs_1" },
          },
        },
      ],
      origin,
    });
    expect(inputOf(fake, 1)).toEqual([
      { role: "user", content: "How is the weather?" },
      reasoning("rs_1", ["I need it.", "So I ask."]),
      functionCall("call_1", "get_weather", { city: "Pune" }, { id: "fc_1" }),
      { type: "function_call_output", call_id: "call_1", output: expect.stringContaining("Sunny in Pune.") },
    ]);
    const end = set.events.filter(({ type }) => type === "llm_call_end").at(-1);
    expect(end).toMatchObject({
      data: {
        finishReason: "completed",
        usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0, reasoningTokens: 10 },
      },
    });
  });

  it("is sent back unchanged in the next turn, with annotations, phases and built-in tools", async () => {
    const items = [
      reasoning("rs_1", []),
      {
        id: "ws_1",
        type: "web_search_call",
        status: "completed",
        action: { type: "search", query: "jaf", sources: [{ type: "url", url: "https://a.example" }] },
      },
      reasoning("rs_2", ["Found."], { status: "completed" }),
      message("See [1].", {
        id: "msg_1",
        phase: "final_answer",
        content: [
          {
            type: "output_text",
            text: "See [1].",
            annotations: [{ type: "url_citation", url: "https://a.example", start_index: 4, end_index: 7 }],
            logprobs: [{ token: "See", logprob: -0.1, bytes: [83], top_logprobs: [] }],
          },
          { type: "output_text", text: "And more.", annotations: [], logprobs: [] },
        ],
      }),
      {
        id: "ci_1",
        type: "code_interpreter_call",
        status: "completed",
        container_id: "cntr_1",
        code: "1 + 1",
        outputs: null,
      },
      {
        id: "ig_1",
        type: "image_generation_call",
        status: "completed",
        output_format: "webp",
        result: "UklGRg==",
      },
      { id: "mcpl_1", type: "mcp_list_tools", server_label: "docs", tools: [{ name: "find" }] },
      message("Done.", { id: "msg_2" }),
    ];
    const fake = await fakeResponses([output(...items), "Bye."]);
    const result = await twoTurns(configOf(responsesOf(fake)));
    expect(fake.refusals).toEqual([]);
    expect(result.outcome).toEqual({ status: "completed", output: "Bye." });
    expect(inputOf(fake, 1).slice(1, -1)).toEqual(items);
    const parts = rich(result)[1]?.content;
    expect(Array.isArray(parts) ? parts.map(({ type }) => type) : parts).toEqual([
      "reasoning",
      "provider-tool-call",
      "provider-tool-result",
      "source",
      "reasoning",
      "text",
      "source",
      "text",
      "provider-tool-call",
      "provider-tool-result",
      "media",
      "mcp_list_tools",
      "text",
    ]);
  });

  it("is sent back unchanged if it begins with a compaction", async () => {
    const compaction = { id: "cmp_1", type: "compaction", encrypted_content: "gAAAA+compacted" };
    const fake = await fakeResponses([output(compaction, message("Hello.", { id: "msg_1" })), "Bye."]);
    const set = configOf(responsesOf(fake), {
      modelConfig: {
        providerOptions: {
          openai: { context_management: [{ type: "compaction", compact_threshold: 200_000 }] },
        },
      },
    });
    await twoTurns(set);
    expect(fake.refusals).toEqual([]);
    expect(inputOf(fake, 1)).toEqual([
      user,
      compaction,
      message("Hello.", { id: "msg_1" }),
      { role: "user", content: "And?" },
    ]);
  });

  it("runs custom tools with text input and functions", async () => {
    const fake = await fakeResponses([
      output(
        customCall("call_1", "shell", "ls *.ts # 日本"),
        functionCall("call_2", "get_weather", { city: "Pune" }),
      ),
      "Done.",
    ]);
    const set = configOf(responsesOf(fake), { tools: [weather, shell] });
    const result = await start(says("Hi"), set);
    expect(fake.refusals).toEqual([]);
    expect(result.outcome).toEqual({ status: "completed", output: "Done." });
    expect(inputOf(fake, 1).slice(-2)).toEqual([
      { type: "custom_tool_call_output", call_id: "call_1", output: "ran ls *.ts # 日本" },
      { type: "function_call_output", call_id: "call_2", output: expect.stringContaining("Pune") },
    ]);
    expect(fake.requests[0]?.["tools"]).toMatchObject([
      { type: "function", name: "get_weather", strict: false },
      { type: "custom", name: "shell", description: "Runs a command." },
    ]);
  });

  it("runs tools with text input as functions if the endpoint has no custom tools", async () => {
    const fake = await fakeResponses([output(functionCall("call_1", "shell", { input: "ls" })), "Done."]);
    const set = configOf(responsesOf(fake, { dialect: "compatible" }), { tools: [shell] });
    const result = await start(says("Hi"), set);
    expect(fake.refusals).toEqual([]);
    expect(rich(result)[1]?.tool_calls).toMatchObject([
      { type: "custom", custom: { name: "shell", input: "ls" } },
    ]);
    expect(inputOf(fake, 1).slice(-2)).toMatchObject([
      { type: "function_call", arguments: '{"input":"ls"}' },
      { type: "function_call_output", output: "ran ls" },
    ]);
    expect(fake.requests[0]?.["include"]).toBeUndefined();
  });

  it("gets images and files of the user and of tool results", async () => {
    const photo = createTool({
      name: "photo",
      description: "d",
      parameters: z.object({}),
      execute: () => ({
        parts: [
          { type: "text" as const, text: "Here:" },
          { type: "media" as const, mediaType: "image/png", data: Uint8Array.of(137, 80) },
        ],
      }),
    });
    const fake = await fakeResponses([output(functionCall("call_1", "photo", {})), "A cat."]);
    const state = createRunState<unknown>({
      agentName: "helper",
      context: {},
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            {
              type: "media",
              mediaType: "image/png",
              url: "https://a.example/b.png",
              providerMetadata: { openai: { detail: "low" } },
            },
            { type: "media", mediaType: "application/pdf", data: "AAAA", filename: "a.pdf" },
          ],
        },
      ],
    });
    const result = await start(state, configOf(responsesOf(fake), { tools: [photo] }));
    expect(fake.refusals).toEqual([]);
    expect(result.outcome).toEqual({ status: "completed", output: "A cat." });
    expect(inputOf(fake, 1)[0]?.["content"]).toEqual([
      { type: "input_text", text: "What is it?" },
      { type: "input_image", image_url: "https://a.example/b.png", detail: "low" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
    ]);
    expect(inputOf(fake, 1).at(-1)?.["output"]).toEqual([
      { type: "input_text", text: "Here:" },
      { type: "input_image", image_url: "data:image/png;base64,iVA=" },
    ]);
  });

  it("is decoded by a codec, which the request contains", async () => {
    const fake = await fakeResponses(['{"answer":"yes"}']);
    const outputCodec = z.object({ answer: z.string() });
    const set = configOf(responsesOf(fake), { outputCodec });
    const { outcome } = await start(says("Hi"), set);
    expect(outcome).toEqual({ status: "completed", output: { answer: "yes" } });
    expect(fake.requests[0]?.["text"]).toEqual({
      format: {
        type: "json_schema",
        name: "output",
        strict: true,
        schema: {
          type: "object",
          properties: { answer: { type: "string" } },
          required: ["answer"],
          additionalProperties: false,
        },
      },
    });
  });

  it("is sent back with its reasoning from a window", async () => {
    const fake = await fakeResponses(
      [1, 2, 3, 4].map((turn) =>
        output(reasoning(`rs_${turn}`, ["Hm."]), message(`Reply ${turn}.`, { id: `msg_${turn}` })),
      ),
    );
    const set = configOf(responsesOf(fake));
    const memory = {
      provider: createInMemoryProvider(),
      autoStore: true,
      userId: "ada",
      window: { maxMessages: 3 },
    };
    for (const turn of [1, 2, 3, 4])
      await start(says(`Turn ${turn}`), { ...set, config: { ...set.config, memory, conversationId: "c" } });
    expect(fake.refusals).toEqual([]);
    expect(inputOf(fake, 3)).toEqual([
      { role: "user", content: "Turn 3" },
      reasoning("rs_3", ["Hm."]),
      message("Reply 3.", { id: "msg_3" }),
      { role: "user", content: "Turn 4" },
    ]);
  });
});

describe("a stream", () => {
  it("yields reasoning, text, calls and generated media in order", async () => {
    const fake = await fakeResponses([
      output(
        reasoning("rs_1", ["First.", "Second."]),
        { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "q" } },
        message("Hello there."),
      ),
    ]);
    const { config, events } = configOf(responsesOf(fake));
    await runStream(says("Hi"), config).result;
    const told = events.flatMap((event) => {
      if (event.type === "llm_reasoning_delta") return [`thinks: ${event.data.text}`];
      if (event.type === "llm_delta") return [`says: ${event.data.text}`];
      return event.type === "llm_part" ? [event.data.part.type] : [];
    });
    expect(told).toEqual([
      "thinks: Fir",
      "thinks: st.",
      "thinks: \n\nSeco",
      "thinks: nd.",
      "provider-tool-call",
      "provider-tool-result",
      "says: Hello ",
      "says: there.",
    ]);
  });

  it("accepts a reply in one piece", async () => {
    const body = JSON.stringify({ id: "resp_1", status: "completed", output: [message("Hello.")] });
    const fake = await fakeResponses([{ kind: "raw", body }]);
    const { config, events } = configOf(responsesOf(fake));
    const { outcome } = await runStream(says("Hi"), config).result;
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
    expect(events.find(({ type }) => type === "llm_delta")).toMatchObject({ data: { text: "Hello." } });
  });
});
