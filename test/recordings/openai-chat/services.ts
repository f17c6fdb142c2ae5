import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { Recording } from "../recording.ts";
import { chatReply, saying } from "./chat-reply.ts";

const search = createTool({
  name: "$web_search",
  description: "Searches the web.",
  parameters: z.looseObject({}),
  execute: async (asked) => JSON.stringify(asked),
});

const builtin = { type: "builtin_function", function: { name: "$web_search" } };
const searching = {
  id: "$web_search:0",
  type: "builtin_function",
  function: { name: "$web_search", arguments: '{"search_result":{"search_id":"s1"}}' },
};

const searches = chatReply({
  message: { role: "assistant", content: "", reasoning_content: "Hm.", tool_calls: [searching] },
  deltas: [
    { role: "assistant", content: "", reasoning_content: "Hm." },
    {
      tool_calls: [
        { index: 0, ...searching, function: { name: "$web_search", arguments: '{"search_result":' } },
      ],
    },
    { tool_calls: [{ index: 0, function: { arguments: '{"search_id":"s1"}}' } }] },
  ],
  finish: "tool_calls",
});

const kimi = {
  feature: "web search",
  documented: "https://platform.moonshot.ai/docs/guide/use-web-search",
  service: "Moonshot",
  model: "kimi-k2.6",
} as const;

const usageOf = (further: object) => ({
  ...{ prompt_tokens: 14, completion_tokens: 100, total_tokens: 114 },
  ...further,
});

const hello = { message: { role: "assistant", content: "Hello." }, deltas: saying("Hello.") };

const page = (id: number, url: string, title: string) => ({
  ...{ type: "source", id: `source-${id}`, sourceType: "url", url, title },
});

const ends = {
  thought: { type: "text", text: "Hm ok." },
  reference: { type: "reference", reference_ids: [1], text: "" },
  place: { type: "reference", reference_ids: [1, 2] },
};

const cited = [
  { type: "thinking", thinking: [ends.thought, ends.reference], closed: true },
  { type: "text", text: "Ostriches are fast" },
  ends.place,
  { type: "text", text: "." },
];

const found = { images: [], results: [{ title: "A", url: "https://a.example", content: "a", score: 0.9 }] };
const executed = { index: 0, type: "search", arguments: '{"query":"a"}', search_results: found };
const documents = [
  { title: "A", url: "https://a.example/1", content: "a", filepath: "a.pdf", chunk_id: "0" },
];

/** Tools, sources and usage of services that speak Chat Completions. */
export const serviceRecordings: readonly Recording[] = [
  {
    ...kimi,
    name: "a tool of the agent returns what Kimi found",
    agent: { tools: [search], modelConfig: { providerOptions: { openai: { tools: [builtin] } } } },
    replies: [
      searches,
      chatReply({
        message: { role: "assistant", content: "Found.", reasoning_content: "Ah." },
        deltas: [{ role: "assistant", reasoning_content: "Ah." }, ...saying("Found.")],
      }),
    ],
    requested: { tools: [builtin] },
    outcome: { status: "completed", output: "Found." },
    ran: [["$web_search", { search_result: { search_id: "s1" } }]],
    sentBack: [
      { role: "assistant", content: null, reasoning_content: "Hm.", tool_calls: [searching] },
      { role: "tool", tool_call_id: "$web_search:0", content: searching.function.arguments },
      { role: "assistant", content: "Found.", reasoning_content: "Ah." },
    ],
  },
  {
    ...kimi,
    name: "no tool of the agent answers",
    agent: { modelConfig: { providerOptions: { openai: { tools: [builtin] } } } },
    replies: [searches],
    outcome: {
      status: "error",
      error: { _tag: "ModelCallError", retryable: false },
      says: 'add a tool with the name \\"$web_search\\" to the agent',
    },
  },
  {
    feature: "reasoning",
    name: "references in the thinking and in the middle of a sentence",
    documented: "https://docs.mistral.ai/capabilities/citations",
    service: "Mistral",
    model: "magistral-medium",
    replies: [
      chatReply({
        message: { role: "assistant", content: cited },
        deltas: [
          { role: "assistant", content: "" },
          { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm " }], closed: false }] },
          { content: [{ type: "thinking", thinking: [{ type: "text", text: "ok." }], closed: false }] },
          { content: [{ type: "thinking", thinking: [ends.reference], closed: true }] },
          { content: "Ostriches " },
          { content: "are fast" },
          { content: [ends.place] },
          { content: "." },
        ],
      }),
    ],
    outcome: { status: "completed", output: "Ostriches are fast." },
    sentBack: [{ role: "assistant", content: cited }],
  },
  {
    feature: "sources",
    name: "the pages of a search",
    documented: "https://help.aliyun.com/zh/model-studio/web-search",
    service: "Alibaba",
    model: "qwen-plus",
    replies: [
      chatReply({
        ...hello,
        body: { search_info: { search_results: [{ index: 1, title: "A", url: "https://a.example" }] } },
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    kept: [{ content: [{ type: "text", text: "Hello." }, page(1, "https://a.example", "A")] }],
    sentBack: [{ role: "assistant", content: "Hello." }],
  },
  {
    feature: "sources",
    name: "the links of a search",
    documented: "https://docs.z.ai/guides/tools/web-search",
    service: "GLM",
    model: "glm-4.6",
    replies: [
      chatReply({
        ...hello,
        body: { web_search: [{ title: "A", link: "https://a.example", refer: "ref_1", media: "A" }] },
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    kept: [{ content: [{ type: "text", text: "Hello." }, page(1, "https://a.example", "A")] }],
    sentBack: [{ role: "assistant", content: "Hello." }],
  },
  {
    feature: "sources",
    name: "the pages of tools that Groq executed",
    documented: "https://console.groq.com/docs/compound/built-in-tools/web-search",
    service: "Groq",
    model: "groq/compound",
    replies: [
      chatReply({
        message: { ...hello.message, executed_tools: [executed] },
        deltas: [
          {
            role: "assistant",
            executed_tools: [{ index: 0, type: "search", arguments: executed.arguments }],
          },
          { executed_tools: [{ index: 0, type: "search", arguments: "", search_results: found }] },
          ...saying("Hello."),
        ],
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    kept: [
      {
        content: [{ type: "text", text: "Hello." }, page(1, "https://a.example", "A")],
        executed_tools: [executed],
      },
    ],
    sentBack: [{ role: "assistant", content: "Hello.", executed_tools: [executed] }],
  },
  {
    feature: "sources",
    name: "the documents of the application's own index",
    documented: "https://learn.microsoft.com/azure/ai-foundry/openai/references/on-your-data",
    service: "Azure",
    model: "gpt-4o",
    replies: [
      chatReply({
        message: { ...hello.message, context: { citations: documents } },
        deltas: [{ role: "assistant", context: { citations: documents } }, ...saying("Hello.")],
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    kept: [{ content: [{ type: "text", text: "Hello." }, page(1, "https://a.example/1", "A")] }],
    sentBack: [{ role: "assistant", content: "Hello.", context: { citations: documents } }],
  },
  {
    feature: "usage",
    name: "details beside the counts",
    documented: "https://docs.perplexity.ai/api-reference/chat-completions-post",
    service: "Perplexity",
    model: "sonar-deep-research",
    replies: [
      chatReply({
        ...hello,
        usage: usageOf({
          ...{ reasoning_tokens: 40, citation_tokens: 30, num_search_queries: 7 },
          cost: { input_tokens_cost: 0.001, search_queries_cost: 0.035, total_cost: 0.036 },
        }),
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    kept: [
      {
        providerMetadata: {
          openai: {
            usage: {
              ...{ citation_tokens: 30, num_search_queries: 7 },
              cost: { input_tokens_cost: 0.001, search_queries_cost: 0.035, total_cost: 0.036 },
            },
          },
        },
      },
    ],
    usage: [{ inputTokens: 14, outputTokens: 100, reasoningTokens: 40, cost: 0.036 }],
  },
  {
    feature: "usage",
    name: "tokens written to Anthropic's cache",
    documented: "https://docs.litellm.ai/docs/completion/prompt_caching",
    service: "LiteLLM",
    model: "claude-sonnet",
    replies: [
      chatReply({
        ...hello,
        usage: usageOf({
          ...{ cache_creation_input_tokens: 3, cache_read_input_tokens: 4 },
          prompt_tokens_details: { cached_tokens: 4, audio_tokens: null },
        }),
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    usage: [{ inputTokens: 14, outputTokens: 100, cachedInputTokens: 4, cacheWriteTokens: 3 }],
  },
  {
    feature: "usage",
    name: "an estimated cost",
    documented: "https://docs.deepinfra.com/chat/overview",
    service: "DeepInfra",
    model: "Qwen/Qwen3-32B",
    replies: [chatReply({ ...hello, usage: usageOf({ estimated_cost: 0.000_12 }) })],
    outcome: { status: "completed", output: "Hello." },
    usage: [{ inputTokens: 14, outputTokens: 100, cost: 0.000_12 }],
  },
];
