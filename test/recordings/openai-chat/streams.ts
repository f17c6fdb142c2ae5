import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { Json, Recording } from "../recording.ts";
import { calling, chatReply, saying } from "./chat-reply.ts";

const weather = createTool({
  name: "get_weather",
  description: "The weather of a city.",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `Sunny in ${city}.`,
});

const hello = chatReply({ message: { role: "assistant", content: "Hello." }, deltas: saying("Hello.") });

const chunk = (choices: readonly Json[], further: Json = {}): Json => ({
  ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_790_000_000 },
  choices,
  ...further,
});

const greeted = {
  outcome: { status: "completed", output: "Hello." },
  sentBack: [{ role: "assistant", content: "Hello." }],
} as const;

const sunny = chatReply({ message: { role: "assistant", content: "Sunny." }, deltas: saying("Sunny.") });

const call = calling("call_1", "get_weather", { city: "Pune" });

/** A call whose pieces are the agent's one call in the end. */
const inPieces = (...pieces: readonly Json[]) =>
  ({
    agent: { tools: [weather] },
    replies: [
      chatReply({
        message: { role: "assistant", content: null, tool_calls: [call] },
        deltas: pieces.map((piece) => ({ role: "assistant", content: null, tool_calls: [piece] })),
        finish: "tool_calls",
      }),
      sunny,
    ],
    outcome: { status: "completed", output: "Sunny." },
    ran: [["get_weather", { city: "Pune" }]],
    sentBack: [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "Sunny in Pune." },
      { role: "assistant", content: "Sunny." },
    ],
  }) as const;

const ran = { index: 0, type: "search", arguments: '{"query":"a"}' };

const executed = { ...ran, output: "A" };

const safe = { filtered: false, severity: "safe" };

/** Streams whose events come in an order, or with fields, of their service's own. */
export const streamRecordings: readonly Recording[] = [
  {
    feature: "text",
    name: "a choice whose index only some events say",
    documented: "https://docs.litellm.ai/docs/completion/stream",
    service: "LiteLLM",
    model: "m",
    replies: [
      {
        whole: hello.whole,
        events: [
          chunk([{ index: 0, delta: { role: "assistant", content: "" } }]),
          chunk([{ index: null, delta: { content: "Hello." } }]),
          chunk([{ delta: {}, finish_reason: "stop" }]),
          "[DONE]",
        ],
      },
    ],
    ...greeted,
  },
  {
    feature: "text",
    name: "events without data, and spaces around the last one",
    documented: "https://openrouter.ai/docs/api-reference/streaming",
    service: "OpenRouter",
    model: "x-ai/grok-4",
    replies: [
      {
        whole: hello.whole,
        events: ["", ...hello.events.slice(0, -1), "\n\n: OPENROUTER PROCESSING\n", " [DONE] "],
      },
    ],
    ...greeted,
  },
  {
    feature: "text",
    name: "the whole reply at the end of its stream",
    documented: "https://platform.minimax.io/docs/api-reference/text-post",
    service: "MiniMax",
    model: "MiniMax-M1",
    replies: [
      {
        whole: hello.whole,
        events: [
          chunk([{ index: 0, delta: { role: "assistant", content: "Hel" } }]),
          chunk([{ index: 0, delta: { role: "assistant", content: "lo." }, finish_reason: "stop" }]),
          { ...hello.whole, usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } },
          "[DONE]",
        ],
      },
    ],
    ...greeted,
  },
  {
    feature: "text",
    name: "results of the content filters in pieces, and the model that a router chose",
    documented: "https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming",
    service: "Azure",
    model: "model-router",
    replies: [
      {
        whole: chatReply({
          message: { role: "assistant", content: "Hello." },
          deltas: [],
          body: { model: "gpt-5-nano-2025-08-07" },
          choice: { content_filter_results: { hate: safe, violence: safe } },
        }).whole,
        events: [
          chunk([{ index: 0, delta: { role: "assistant", content: "Hel" }, content_filter_results: {} }], {
            model: "gpt-5-nano-2025-08-07",
          }),
          chunk([{ index: 0, delta: { content: "lo." }, content_filter_results: { hate: safe } }]),
          chunk([{ index: 0, delta: {}, finish_reason: "stop", content_filter_results: {} }]),
          // The asynchronous filter.
          chunk([{ index: 0, finish_reason: null, content_filter_results: { violence: safe } }]),
          "[DONE]",
        ],
      },
    ],
    ...greeted,
    kept: [
      {
        providerMetadata: {
          openai: {
            model: "gpt-5-nano-2025-08-07",
            content_filter_results: { hate: safe, violence: safe },
          },
        },
      },
    ],
  },
  {
    feature: "function calls",
    name: "two calls without ids, both with the index 0",
    documented: "https://ai.google.dev/gemini-api/docs/openai",
    service: "Gemini",
    model: "gemini-2.5-flash",
    options: { dialect: "compatible" },
    agent: { tools: [weather] },
    replies: [
      chatReply({
        message: {
          role: "assistant",
          tool_calls: [
            calling("", "get_weather", { city: "Pune" }),
            calling("", "get_weather", { city: "Bonn" }),
          ],
        },
        deltas: ["Pune", "Bonn"].map((city) => ({
          role: "assistant",
          tool_calls: [{ index: 0, ...calling("", "get_weather", { city }) }],
        })),
        finish: "tool_calls",
      }),
      chatReply({ message: { role: "assistant", content: "Sunny." }, deltas: saying("Sunny.") }),
    ],
    outcome: { status: "completed", output: "Sunny." },
    ran: [
      ["get_weather", { city: "Pune" }],
      ["get_weather", { city: "Bonn" }],
    ],
  },
  {
    feature: "streamed arguments",
    name: "in pieces, and the whole again",
    documented: "https://github.com/anomalyco/opencode/pull/17339",
    service: "GLM",
    model: "glm-4.6",
    ...inPieces(
      { index: 0, ...call, function: { name: "get_weather", arguments: "" } },
      { index: 0, function: { arguments: '{"city":' } },
      { index: 0, function: { arguments: '"Pune"}' } },
      { index: 0, ...call },
    ),
  },
  {
    feature: "function calls",
    name: "a piece of another call that has nothing",
    documented: "https://docs.vllm.ai/en/latest/features/tool_calling.html",
    service: "vLLM",
    model: "command-a",
    ...inPieces({ index: 0, ...call }, { index: 1, type: "function", function: { name: "", arguments: "" } }),
  },
  {
    feature: "answered calls",
    name: "a tool's arguments again with what it returned",
    documented: "https://console.groq.com/docs/compound/built-in-tools/web-search",
    service: "Groq",
    model: "groq/compound",
    replies: [
      chatReply({
        message: { role: "assistant", content: "Hello.", executed_tools: [executed] },
        deltas: [
          { role: "assistant", executed_tools: [ran] },
          { executed_tools: [executed] },
          ...saying("Hello."),
        ],
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    sentBack: [{ role: "assistant", content: "Hello.", executed_tools: [executed] }],
  },
];
