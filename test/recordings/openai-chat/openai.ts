import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { Recording } from "../recording.ts";
import { calling, chatReply, saying } from "./chat-reply.ts";

const reference = "https://developers.openai.com/api/reference/resources/chat";

const weather = createTool({
  name: "get_weather",
  description: "The weather of a city.",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `Sunny in ${city}.`,
  providerOptions: { openai: { strict: true } },
});

const grammar = {
  type: "grammar",
  grammar: { syntax: "lark", definition: 'start: "SELECT" /[^;]+/ ";"' },
};

const query = createTool({
  name: "query",
  description: "Runs a query.",
  parameters: z.string(),
  execute: async (sql) => `ran ${sql}`,
  providerOptions: { openai: { format: grammar } },
});

const usage = {
  prompt_tokens: 19,
  completion_tokens: 10,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 4, audio_tokens: 0, accepted_prediction_tokens: 0 },
};

const counted = { inputTokens: 19, outputTokens: 10, cachedInputTokens: 8, reasoningTokens: 4 };

const tokenProbabilities = {
  content: [
    { token: "Hel", logprob: -0.1, bytes: [72, 101, 108], top_logprobs: [] },
    { token: "lo.", logprob: -0.2, bytes: [108, 111, 46], top_logprobs: [] },
  ],
  refusal: null,
};

const searched = "Ostriches run 70 km/h (birds.example).";
const annotation = {
  type: "url_citation",
  url_citation: { url: "https://birds.example/ostrich", title: "Ostriches", start_index: 22, end_index: 37 },
};

const speech = { id: "audio_1", data: "UklGRg==", transcript: "Hello.", expires_at: 1_790_003_600 };

export const openaiChatRecordings: readonly Recording[] = [
  {
    feature: "log probabilities",
    name: "OpenAI's log probabilities, fingerprint and tier",
    documented: `${reference}/subresources/completions/methods/create`,
    model: "gpt-5.1",
    agent: { modelConfig: { providerOptions: { openai: { logprobs: true } } } },
    replies: [
      {
        ...chatReply({
          message: { role: "assistant", content: "Hello.", refusal: null, annotations: [] },
          deltas: [],
          body: { model: "gpt-5.1-2025-11-13", system_fingerprint: "fp_44709d6fcb", service_tier: "default" },
          choice: { logprobs: tokenProbabilities },
          usage,
        }),
        events: [
          {
            ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-5.1-2025-11-13" },
            ...{ system_fingerprint: "fp_44709d6fcb", service_tier: "default", obfuscation: "aXk2" },
            choices: [
              {
                index: 0,
                delta: { role: "assistant", content: "Hel", refusal: null },
                logprobs: { content: tokenProbabilities.content.slice(0, 1), refusal: null },
                finish_reason: null,
              },
            ],
            usage: null,
          },
          {
            ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-5.1-2025-11-13" },
            ...{ system_fingerprint: "fp_44709d6fcb", service_tier: "default", obfuscation: "9sq" },
            choices: [
              {
                index: 0,
                delta: { content: "lo." },
                logprobs: { content: tokenProbabilities.content.slice(1), refusal: null },
                finish_reason: null,
              },
            ],
            usage: null,
          },
          {
            ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-5.1-2025-11-13" },
            ...{ system_fingerprint: "fp_44709d6fcb", service_tier: "default" },
            choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }],
            usage: null,
          },
          { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, choices: [], usage },
          "[DONE]",
        ],
      },
    ],
    requested: { logprobs: true },
    outcome: { status: "completed", output: "Hello." },
    kept: [
      {
        role: "assistant",
        content: "Hello.",
        providerMetadata: {
          openai: {
            model: "gpt-5.1-2025-11-13",
            system_fingerprint: "fp_44709d6fcb",
            service_tier: "default",
            logprobs: tokenProbabilities,
          },
        },
      },
    ],
    usage: [counted],
  },
  {
    feature: "refusals",
    name: "its content is null",
    documented: "https://developers.openai.com/api/docs/guides/structured-outputs#refusals",
    model: "gpt-5.1",
    replies: [
      chatReply({
        message: { role: "assistant", content: null, refusal: "I can't help with that." },
        deltas: [{ role: "assistant", content: null, refusal: "I can't " }, { refusal: "help with that." }],
      }),
    ],
    outcome: { status: "completed", output: "I can't help with that." },
    kept: [{ role: "assistant", content: null, refusal: "I can't help with that." }],
    sentBack: [{ role: "assistant", content: null, refusal: "I can't help with that." }],
  },
  {
    feature: "tool options",
    name: "a strict function",
    documented: "https://developers.openai.com/api/docs/guides/function-calling#strict-mode",
    model: "gpt-5.1",
    agent: { tools: [weather] },
    replies: [
      chatReply({
        message: {
          role: "assistant",
          content: null,
          tool_calls: [calling("call_1", "get_weather", { city: "Pune" })],
        },
        deltas: [
          {
            role: "assistant",
            content: null,
            tool_calls: [
              { index: 0, id: "call_1", type: "function", function: { name: "get_weather", arguments: "" } },
            ],
          },
          { tool_calls: [{ index: 0, function: { arguments: '{"city":"Pune"}' } }] },
        ],
        finish: "tool_calls",
      }),
      chatReply({ message: { role: "assistant", content: "Sunny." }, deltas: saying("Sunny.") }),
    ],
    requested: {
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            strict: true,
            parameters: {
              type: "object",
              properties: { city: { type: "string" } },
              required: ["city"],
              additionalProperties: false,
            },
          },
        },
      ],
    },
    outcome: { status: "completed", output: "Sunny." },
    ran: [["get_weather", { city: "Pune" }]],
    sentBack: [
      {
        role: "assistant",
        content: null,
        tool_calls: [calling("call_1", "get_weather", { city: "Pune" })],
      },
      { role: "tool", tool_call_id: "call_1", content: "Sunny in Pune." },
      { role: "assistant", content: "Sunny." },
    ],
  },
  {
    feature: "custom tools",
    name: "a grammar",
    documented: "https://developers.openai.com/api/docs/guides/function-calling#custom-tools",
    model: "gpt-5.1",
    options: { dialect: "openai" },
    agent: { tools: [query] },
    replies: [
      chatReply({
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", type: "custom", custom: { name: "query", input: "SELECT 1;" } }],
        },
        deltas: [
          {
            role: "assistant",
            content: null,
            tool_calls: [{ index: 0, id: "call_1", type: "custom", custom: { name: "query", input: "" } }],
          },
          { tool_calls: [{ index: 0, custom: { input: "SELECT 1;" } }] },
        ],
        finish: "tool_calls",
      }),
      chatReply({ message: { role: "assistant", content: "One." }, deltas: saying("One.") }),
    ],
    requested: { tools: [{ type: "custom", custom: { name: "query", format: grammar } }] },
    outcome: { status: "completed", output: "One." },
    ran: [["query", "SELECT 1;"]],
    sentBack: [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "custom", custom: { name: "query", input: "SELECT 1;" } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "ran SELECT 1;" },
      { role: "assistant", content: "One." },
    ],
  },
  {
    feature: "sources",
    name: "the annotations of a search model",
    documented: "https://developers.openai.com/api/docs/guides/tools-web-search",
    model: "gpt-5-search-api",
    agent: { modelConfig: { providerOptions: { openai: { web_search_options: {} } } } },
    replies: [
      chatReply({
        message: { role: "assistant", content: searched, refusal: null, annotations: [annotation] },
        deltas: [...saying(searched), { annotations: [annotation] }],
      }),
    ],
    requested: { web_search_options: {} },
    outcome: { status: "completed", output: searched },
    kept: [
      {
        content: [
          { type: "text", text: searched },
          {
            type: "source",
            id: "source-1",
            sourceType: "url",
            url: "https://birds.example/ostrich",
            title: "Ostriches",
            ranges: [{ start: 22, end: 37 }],
          },
        ],
        annotations: [annotation],
      },
    ],
  },
  {
    feature: "generated media",
    name: "speech, and its words",
    documented: "https://developers.openai.com/api/docs/guides/audio",
    model: "gpt-audio",
    agent: {
      modelConfig: {
        providerOptions: {
          openai: { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } },
        },
      },
    },
    replies: [
      chatReply({
        message: { role: "assistant", content: null, refusal: null, audio: speech },
        deltas: [
          { role: "assistant", content: null, refusal: null, audio: { id: "audio_1", transcript: "Hel" } },
          { audio: { transcript: "lo." } },
          { audio: { data: speech.data } },
          { audio: { expires_at: speech.expires_at } },
        ],
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    kept: [{ audio: speech }],
    sentBack: [{ role: "assistant", content: "", refusal: null, audio: { id: "audio_1" } }],
  },
];
