import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { Recording } from "../recording.ts";
import { called, guide, openai, response, said, thought } from "./response.ts";

const usage = {
  input_tokens: 81,
  input_tokens_details: { cached_tokens: 64, cache_write_tokens: 8 },
  output_tokens: 1035,
  output_tokens_details: { reasoning_tokens: 832 },
  total_tokens: 1116,
};

const logprobs = [{ token: "Hello.", bytes: [72], logprob: -0.1, top_logprobs: [] }];

const refusal = {
  ...said(""),
  content: [{ type: "refusal", refusal: "I can't help with that." }],
};

const compaction = { id: "cmp_1", type: "compaction", encrypted_content: "gAAAA+compacted" };

const strictWeather = createTool({
  name: "get_weather",
  description: "The weather of a city.",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `Sunny in ${city}.`,
  providerOptions: { openai: { strict: true } },
});

const lookUp = createTool({
  name: "look_up",
  description: "Looks something up.",
  parameters: z.object({ query: z.string(), limit: z.int().optional() }),
  execute: async () => "Nothing.",
  providerOptions: { openai: { strict: true } },
});

const grammar = { type: "grammar", syntax: "regex", definition: "^\\d{4}-\\d{2}-\\d{2}$" };

const orchestrated = {
  ...{ input_tokens: 9, output_tokens: 4, total_tokens: 13 },
  input_tokens_details: {
    ...{ cached_tokens: 0, cache_write_tokens: 3 },
    cache_write_tokens_details: { ttl_30m_tokens: 3, ttl_12h_tokens: 0 },
  },
  output_tokens_details: { reasoning_tokens: 0, orchestration_output_tokens: 2 },
};

const book = createTool({
  name: "book",
  description: "Books a day.",
  parameters: z.string(),
  execute: async (day) => `Booked ${day}.`,
  providerOptions: { openai: { format: grammar } },
});

/** Texts, reasoning, functions and custom tools. */
export const replyRecordings: readonly Recording[] = [
  {
    feature: "reasoning",
    name: "encrypted, with a tier, log probabilities and a phase",
    documented: guide("reasoning"),
    model: "gpt-5.1",
    options: { dialect: "openai" },
    replies: [
      response(
        [
          thought("1", { summary: [{ type: "summary_text", text: "Hm." }] }),
          { ...said("Hello.", { logprobs }), phase: "final_answer" },
        ],
        { model: "gpt-5.1-2025-11-13", service_tier: "default", billing: { payer: "developer" }, usage },
      ),
    ],
    requested: { include: ["reasoning.encrypted_content"], store: false },
    outcome: { status: "completed", output: "Hello." },
    kept: [
      {
        providerMetadata: {
          openai: {
            model: "gpt-5.1-2025-11-13",
            service_tier: "default",
            billing: { payer: "developer" },
          },
        },
      },
    ],
    sentBack: [
      thought("1", { summary: [{ type: "summary_text", text: "Hm." }] }),
      { ...said("Hello.", { logprobs }), phase: "final_answer" },
    ],
    usage: [
      {
        inputTokens: 81,
        outputTokens: 1035,
        cachedInputTokens: 64,
        cacheWriteTokens: 8,
        reasoningTokens: 832,
      },
    ],
  },
  {
    feature: "usage",
    name: "what a write to the cache and the orchestration cost, and how much reasoning was seen",
    documented: guide("reasoning"),
    model: "gpt-5.6",
    replies: [
      response([said("Hello.")], {
        reasoning: { effort: "low", summary: null, context: "current_turn" },
        usage: orchestrated,
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    kept: [
      {
        providerMetadata: {
          openai: { reasoning: { effort: "low", context: "current_turn" }, usage: orchestrated },
        },
      },
    ],
    sentBack: [said("Hello.")],
    usage: [
      { inputTokens: 9, outputTokens: 4, cachedInputTokens: 0, cacheWriteTokens: 3, reasoningTokens: 0 },
    ],
  },
  {
    feature: "refusals",
    name: "a part of the message",
    documented: guide("structured-outputs"),
    model: "gpt-5.1",
    replies: [response([refusal])],
    outcome: { status: "completed", output: "I can't help with that." },
    kept: [{ content: [{ type: "refusal", refusal: "I can't help with that." }] }],
    sentBack: [refusal],
  },
  {
    feature: "compaction",
    name: "an item before the answer",
    documented: guide("compaction"),
    model: "gpt-5.1",
    agent: openai({ context_management: [{ type: "compaction", compact_threshold: 200_000 }] }),
    replies: [response([compaction, said("Hello.")])],
    requested: { context_management: [{ type: "compaction", compact_threshold: 200_000 }] },
    outcome: { status: "completed", output: "Hello." },
    sentBack: [compaction, said("Hello.")],
  },
  {
    feature: "tool options",
    name: "strict functions, one of which strict mode can't say",
    documented: guide("function-calling"),
    model: "gpt-5.1",
    agent: { tools: [strictWeather, lookUp] },
    replies: [response([called("1", "get_weather", { city: "Pune" })]), response([said("Sunny.")])],
    requested: {
      tools: [
        {
          name: "get_weather",
          strict: true,
          parameters: { additionalProperties: false, required: ["city"] },
        },
        { name: "look_up", strict: false },
      ],
    },
    outcome: { status: "completed", output: "Sunny." },
    ran: [["get_weather", { city: "Pune" }]],
    sentBack: [
      called("1", "get_weather", { city: "Pune" }),
      { type: "function_call_output", call_id: "1", output: "Sunny in Pune." },
      said("Sunny."),
    ],
  },
  {
    feature: "custom tools",
    name: "a grammar",
    documented: guide("function-calling"),
    model: "gpt-5.1",
    options: { dialect: "openai" },
    agent: { tools: [book] },
    replies: [
      response([
        {
          id: "ctc_1",
          type: "custom_tool_call",
          status: "completed",
          call_id: "call_1",
          name: "book",
          input: "2026-10-01",
        },
      ]),
      response([said("Booked.")]),
    ],
    requested: { tools: [{ type: "custom", name: "book", format: grammar }] },
    outcome: { status: "completed", output: "Booked." },
    ran: [["book", "2026-10-01"]],
    sentBack: [
      {
        id: "ctc_1",
        type: "custom_tool_call",
        status: "completed",
        call_id: "call_1",
        name: "book",
        input: "2026-10-01",
      },
      { type: "custom_tool_call_output", call_id: "call_1", output: "Booked 2026-10-01." },
      said("Booked."),
    ],
  },
  {
    feature: "custom tools",
    name: "at a gateway, by a definition of the service",
    documented: guide("function-calling"),
    model: "gpt-5.1",
    agent: { tools: [book], ...openai({ tools: [{ type: "custom", name: "book", format: grammar }] }) },
    replies: [
      response([
        {
          id: "ctc_1",
          type: "custom_tool_call",
          status: "completed",
          call_id: "call_1",
          name: "book",
          input: "2026-10-01",
        },
      ]),
      response([said("Booked.")]),
    ],
    requested: { tools: [{ type: "custom", name: "book", format: grammar }] },
    outcome: { status: "completed", output: "Booked." },
    ran: [["book", "2026-10-01"]],
    sentBack: [
      {
        id: "ctc_1",
        type: "custom_tool_call",
        status: "completed",
        call_id: "call_1",
        name: "book",
        input: "2026-10-01",
      },
      { type: "custom_tool_call_output", call_id: "call_1", output: "Booked 2026-10-01." },
      said("Booked."),
    ],
  },
  {
    feature: "text",
    name: "positions with gaps in a stream",
    documented: "https://developers.openai.com/api/reference/resources/responses/streaming-events",
    model: "gpt-5.1",
    replies: [withGaps()],
    outcome: { status: "completed", output: "Hello." },
    sentBack: [thought("1"), said("Hello.")],
  },
  {
    feature: "text",
    name: "no answer within the limit",
    documented: guide("reasoning"),
    model: "gpt-5.1",
    replies: [
      response([thought("1")], {
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
      }),
    ],
    outcome: { status: "error", error: { _tag: "ModelBehaviorError" } },
  },
];

/** The stream of a gateway that counts other items, too. */
function withGaps() {
  const { whole, events } = response([thought("1"), said("Hello.")]);
  return {
    whole,
    events: events.map((event) =>
      typeof event === "object" && "output_index" in event
        ? { ...event, output_index: Number(event["output_index"]) * 3 + 7 }
        : event,
    ),
  };
}
