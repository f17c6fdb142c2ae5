import type { Recording } from "../recording.ts";
import { chatReply, saying } from "./chat-reply.ts";

const cited = "Ostriches run fast[1][2].";

const searchResults = [
  {
    title: "Ostriches",
    url: "https://birds.example/ostrich",
    date: "2025-01-02",
    last_updated: "2025-02-03",
  },
  { title: "Fast birds", url: "https://fast.example", date: null },
];

const source = (id: number, url: string, title?: string) => ({
  type: "source",
  id: `source-${id}`,
  sourceType: "url",
  url,
  ...(title === undefined ? {} : { title }),
});

const perplexity = {
  citations: ["https://birds.example/ostrich", "https://fast.example"],
  search_results: searchResults,
};

const perplexityUsage = {
  prompt_tokens: 14,
  completion_tokens: 100,
  total_tokens: 114,
  search_context_size: "low",
  cost: {
    input_tokens_cost: 0.000_014,
    output_tokens_cost: 0.000_1,
    request_cost: 0.005,
    total_cost: 0.005_114,
  },
};

const azure = {
  prompt_filter_results: [
    { prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: "safe" } } },
  ],
};

const filtered = {
  content_filter_results: {
    hate: { filtered: false, severity: "safe" },
    protected_material_text: { filtered: false, detected: false },
  },
};

const hello = { message: { role: "assistant", content: "Hello." }, deltas: saying("Hello.") };

/** The first turn's end of all greetings. */
const greeted = {
  outcome: { status: "completed", output: "Hello." },
  sentBack: [{ role: "assistant", content: "Hello." }],
} as const;

/** Services that speak Chat Completions, with fields of their own. */
export const gatewayRecordings: readonly Recording[] = [
  {
    feature: "sources",
    name: "citations, search results and the cost of the request",
    documented: "https://docs.perplexity.ai/api-reference/chat-completions-post",
    service: "Perplexity",
    model: "sonar-pro",
    replies: [
      chatReply({
        message: { role: "assistant", content: cited },
        deltas: saying(cited),
        body: { model: "sonar-pro", ...perplexity },
        usage: perplexityUsage,
        last: { usage: perplexityUsage },
      }),
    ],
    outcome: { status: "completed", output: cited },
    kept: [
      {
        content: [
          { type: "text", text: cited },
          source(1, "https://birds.example/ostrich", "Ostriches"),
          source(2, "https://fast.example", "Fast birds"),
        ],
        providerMetadata: { openai: perplexity },
      },
    ],
    sentBack: [{ role: "assistant", content: cited }],
    usage: [{ inputTokens: 14, outputTokens: 100, cost: 0.005_114 }],
  },
  {
    feature: "ratings",
    name: "results of the content filters",
    documented: "https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter",
    service: "Azure",
    model: "gpt-5.1",
    options: { dialect: "openai" },
    replies: [
      {
        whole: chatReply({ ...hello, body: { system_fingerprint: "fp_az", ...azure }, choice: filtered })
          .whole,
        events: [
          { id: "", object: "", created: 0, model: "", choices: [], ...azure },
          ...chatReply({ ...hello, body: { system_fingerprint: "fp_az" }, choice: filtered }).events,
        ],
      },
    ],
    ...greeted,
    kept: [{ providerMetadata: { openai: { system_fingerprint: "fp_az", ...azure, ...filtered } } }],
  },
  {
    feature: "usage",
    name: "completion tokens without reasoning, and the cost in ticks",
    documented: "https://docs.x.ai/developers/cost-tracking",
    service: "xAI",
    model: "grok-4",
    replies: [
      chatReply({
        message: { role: "assistant", content: "Hello.", reasoning_content: "Hm.", refusal: null },
        deltas: [{ role: "assistant", reasoning_content: "Hm." }, ...saying("Hello.")],
        body: { system_fingerprint: "fp_x", citations: ["https://x.example/1"] },
        usage: {
          prompt_tokens: 32,
          completion_tokens: 9,
          total_tokens: 135,
          prompt_tokens_details: { text_tokens: 32, audio_tokens: 0, image_tokens: 0, cached_tokens: 6 },
          completion_tokens_details: { reasoning_tokens: 94, audio_tokens: 0 },
          num_sources_used: 1,
          cost_in_usd_ticks: 37_756_000,
        },
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    kept: [
      {
        content: [{ type: "text", text: "Hello." }, source(1, "https://x.example/1")],
        reasoning_content: "Hm.",
        providerMetadata: { openai: { system_fingerprint: "fp_x", citations: ["https://x.example/1"] } },
      },
    ],
    usage: [
      {
        inputTokens: 32,
        outputTokens: 103,
        cachedInputTokens: 6,
        reasoningTokens: 94,
        cost: 0.003_775_6,
      },
    ],
  },
  {
    feature: "usage",
    name: "a total that holds the thinking",
    documented: "https://ai.google.dev/gemini-api/docs/openai",
    service: "Gemini",
    model: "gemini-3-pro",
    replies: [
      chatReply({
        ...hello,
        usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 212 },
      }),
    ],
    ...greeted,
    usage: [{ inputTokens: 7, outputTokens: 205 }],
  },
  {
    feature: "usage",
    name: "cached tokens beside the others, in the choice of a stream",
    documented: "https://platform.moonshot.ai/docs/api/chat",
    service: "Moonshot",
    model: "kimi-k2.6",
    replies: [
      {
        whole: chatReply({
          ...hello,
          usage: { prompt_tokens: 19, completion_tokens: 21, total_tokens: 40, cached_tokens: 10 },
        }).whole,
        events: chatReply({
          ...hello,
          choice: {
            usage: { prompt_tokens: 19, completion_tokens: 21, total_tokens: 40, cached_tokens: 10 },
          },
        }).events,
      },
    ],
    outcome: { status: "completed", output: "Hello." },
    usage: [{ inputTokens: 19, outputTokens: 21, cachedInputTokens: 10 }],
  },
  {
    feature: "usage",
    name: "hits of the cache, and reasoning",
    documented: "https://api-docs.deepseek.com/api/create-chat-completion",
    service: "DeepSeek",
    model: "deepseek-reasoner",
    replies: [
      chatReply({
        message: { role: "assistant", content: "Hello.", reasoning_content: "Hm." },
        deltas: [{ role: "assistant", content: null, reasoning_content: "Hm." }, ...saying("Hello.")],
        body: { system_fingerprint: "fp_ds" },
        usage: {
          prompt_tokens: 17,
          completion_tokens: 40,
          total_tokens: 57,
          prompt_cache_hit_tokens: 16,
          prompt_cache_miss_tokens: 1,
          completion_tokens_details: { reasoning_tokens: 30 },
        },
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    kept: [{ reasoning_content: "Hm.", providerMetadata: { openai: { system_fingerprint: "fp_ds" } } }],
    sentBack: [{ role: "assistant", content: "Hello.", reasoning_content: "Hm." }],
    usage: [{ inputTokens: 17, outputTokens: 40, cachedInputTokens: 16, reasoningTokens: 30 }],
  },
  {
    feature: "usage",
    name: "the usage of a stream in a field of its own",
    documented: "https://console.groq.com/docs/api-reference",
    service: "Groq",
    model: "openai/gpt-oss-120b",
    replies: [
      {
        whole: chatReply({
          ...hello,
          body: { system_fingerprint: "fp_g", service_tier: "on_demand", x_groq: { id: "req_01" } },
          usage: { queue_time: 0.03, prompt_tokens: 18, completion_tokens: 9, total_tokens: 27 },
        }).whole,
        events: chatReply({
          ...hello,
          body: { system_fingerprint: "fp_g", service_tier: "on_demand" },
          last: {
            x_groq: {
              id: "req_01",
              usage: { queue_time: 0.03, prompt_tokens: 18, completion_tokens: 9, total_tokens: 27 },
            },
          },
        }).events,
      },
    ],
    ...greeted,
    kept: [
      {
        providerMetadata: {
          openai: { system_fingerprint: "fp_g", service_tier: "on_demand", x_groq: { id: "req_01" } },
        },
      },
    ],
    usage: [{ inputTokens: 18, outputTokens: 9 }],
  },
  {
    feature: "reasoning",
    name: "thinking in the parts of the content",
    documented: "https://docs.mistral.ai/capabilities/reasoning",
    service: "Mistral",
    model: "magistral-medium",
    replies: [
      chatReply({
        message: {
          role: "assistant",
          content: [
            { type: "thinking", thinking: [{ type: "text", text: "Hm." }], closed: true },
            { type: "text", text: "Hello." },
          ],
        },
        deltas: [
          { role: "assistant", content: "" },
          { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }], closed: true }] },
          { content: [{ type: "text", text: "Hel" }] },
          { content: "lo." },
        ],
        usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, num_cached_tokens: 2 },
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    sentBack: [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Hm." }], closed: true },
          { type: "text", text: "Hello." },
        ],
      },
    ],
    usage: [{ inputTokens: 5, outputTokens: 7, cachedInputTokens: 2 }],
  },
  {
    feature: "reasoning",
    name: "signed details, the model that answered, and the credits",
    documented: "https://openrouter.ai/docs/use-cases/usage-accounting",
    service: "OpenRouter",
    model: "anthropic/claude-sonnet-4.5",
    replies: [
      chatReply({
        message: {
          role: "assistant",
          content: "Hello.",
          refusal: null,
          reasoning: "Hm.",
          reasoning_details: [
            {
              type: "reasoning.text",
              text: "Hm.",
              signature: "c2ln",
              format: "anthropic-claude-v1",
              index: 0,
            },
          ],
        },
        deltas: [
          {
            role: "assistant",
            content: "",
            reasoning: "Hm.",
            reasoning_details: [
              { type: "reasoning.text", text: "Hm.", format: "anthropic-claude-v1", index: 0 },
            ],
          },
          {
            content: "",
            reasoning: null,
            reasoning_details: [
              { type: "reasoning.text", signature: "c2ln", format: "anthropic-claude-v1", index: 0 },
            ],
          },
          { content: "Hello." },
        ],
        body: { provider: "Amazon Bedrock", model: "anthropic/claude-4.5-sonnet-20250929" },
        choice: { native_finish_reason: "end_turn", logprobs: null },
        usage: {
          prompt_tokens: 194,
          completion_tokens: 20,
          total_tokens: 214,
          cost: 0.000_95,
          is_byok: false,
          prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 50 },
          cost_details: { upstream_inference_cost: null },
          completion_tokens_details: { reasoning_tokens: 6 },
        },
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    kept: [
      {
        content: "Hello.",
        providerMetadata: {
          openai: {
            provider: "Amazon Bedrock",
            model: "anthropic/claude-4.5-sonnet-20250929",
            native_finish_reason: "end_turn",
          },
        },
      },
    ],
    usage: [
      {
        inputTokens: 194,
        outputTokens: 20,
        cachedInputTokens: 100,
        cacheWriteTokens: 50,
        reasoningTokens: 6,
        cost: 0.000_95,
      },
    ],
  },
  {
    feature: "usage",
    name: "tokens written to the cache",
    documented: "https://help.aliyun.com/zh/model-studio/context-cache",
    service: "Alibaba",
    model: "qwen3-max",
    replies: [
      chatReply({
        message: { role: "assistant", content: "Hello.", reasoning_content: "" },
        deltas: [{ role: "assistant", content: "", reasoning_content: null }, ...saying("Hello.")],
        usage: {
          prompt_tokens: 1_500,
          completion_tokens: 12,
          total_tokens: 1_512,
          prompt_tokens_details: {
            cached_tokens: 0,
            cache_creation: { ephemeral_5m_input_tokens: 1_478 },
            cache_creation_input_tokens: 1_478,
            cache_type: "ephemeral",
          },
        },
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    usage: [{ inputTokens: 1_500, outputTokens: 12, cachedInputTokens: 0, cacheWriteTokens: 1_478 }],
  },
];
