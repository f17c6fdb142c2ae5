import { type Message, parseMessages } from "@jaf/memory";

/** The model's reasoning in every fixture. It occurs nowhere else. */
export const THOUGHT = "They want Paris.";

/** Opaque base64, like signatures and ciphertexts. */
const OPAQUE = "RW9BQkNrWUlDQmdDS2tBbGY4enFQbjNQWlFKYmZn";

const asked = { role: "user", content: "What is the weather in Paris?" };
const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: '{"celsius":21}' });
const weather = { name: "get_weather", arguments: '{"city":"Paris"}' };
const call = (id: string, fields: object = {}) => ({ id, type: "function", function: weather, ...fields });
const replied = (content: unknown, fields: object = {}) => ({ role: "assistant", content, ...fields });

const conversations: Readonly<Record<string, readonly object[]>> = {
  "OpenAI chat: system and developer roles, empty fields beside the text": [
    { role: "system", content: "Be brief." },
    { role: "developer", content: [{ type: "text", text: "Answer in French." }], name: "ops" },
    asked,
    replied("21 °C.", { refusal: null, annotations: [], audio: null, function_call: null }),
  ],
  "OpenAI chat: a refusal": [asked, replied(null, { refusal: "I can't help with that.", annotations: [] })],
  "OpenAI chat: a refusal as a part": [asked, replied([{ type: "refusal", refusal: "I can't." }])],
  "OpenAI chat: audio, and its id in the next turn": [
    { role: "user", content: [{ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }] },
    replied(null, {
      audio: { id: "audio_1", data: "UklGRg==", expires_at: 1_767_312_000, transcript: "21 °C." },
    }),
    { role: "user", content: "And tomorrow?" },
    replied(null, { audio: { id: "audio_1" } }),
  ],
  "OpenAI chat: annotations of a search": [
    asked,
    replied("21 °C.", {
      annotations: [
        {
          type: "url_citation",
          url_citation: { start_index: 0, end_index: 6, title: "W", url: "https://w.example/" },
        },
      ],
    }),
  ],
  "OpenAI chat: a custom tool call": [
    asked,
    replied(null, {
      tool_calls: [{ id: "call_1", type: "custom", custom: { name: "sql", input: "SELECT 1;\n" } }],
    }),
    { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "1" }] },
    replied("1."),
  ],
  "OpenAI Responses: items as parts, reasoning right before its call": [
    {
      role: "user",
      content: [
        { type: "input_text", text: "Weather?" },
        { type: "input_image", image_url: "data:," },
      ],
    },
    replied(
      [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: OPAQUE },
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "w" } },
        {
          type: "reasoning",
          id: "rs_2",
          summary: [{ type: "summary_text", text: THOUGHT }],
          encrypted_content: OPAQUE,
        },
        { type: "tool-call", id: "call_1" },
      ],
      { tool_calls: [call("call_1", { call_id: "call_1", item_id: "fc_1", status: "completed" })] },
    ),
    answer("call_1"),
    replied(
      [
        {
          type: "output_text",
          text: "21 °C.",
          annotations: [{ type: "url_citation", url: "https://w.example/" }],
          logprobs: [],
        },
        { type: "image_generation_call", id: "ig_1", status: "completed", result: "iVBORw0KGgo=" },
      ],
      { id: "msg_1", type: "message", status: "completed", phase: "final_answer" },
    ),
  ],
  "OpenAI Responses: a compaction item at the start": [
    replied([{ type: "compaction", id: "cmp_1", encrypted_content: OPAQUE }]),
    asked,
    replied([{ type: "output_text", text: "21 °C.", annotations: [] }]),
  ],
  "Anthropic: thinking, redacted thinking and tool use as blocks": [
    { role: "user", content: [{ type: "text", text: "Weather?", cache_control: { type: "ephemeral" } }] },
    replied([
      { type: "thinking", thinking: THOUGHT, signature: OPAQUE },
      { type: "redacted_thinking", data: OPAQUE },
      { type: "text", text: "Let me see." },
      { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Paris" } },
    ]),
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [{ type: "text", text: "21" }],
          is_error: false,
        },
      ],
    },
    replied([{ type: "text", text: "21 °C.", citations: [{ type: "char_location", cited_text: "21" }] }]),
  ],
  "Anthropic: a tool that the provider ran": [
    asked,
    replied([
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "weather" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [{ type: "web_search_result", url: "https://w.example/", encrypted_content: OPAQUE }],
      },
      { type: "text", text: "21 °C." },
    ]),
  ],
  "Gemini, through its OpenAI interface: a thought signature on the first of two calls": [
    asked,
    replied("", {
      extra_content: { google: { thought: true } },
      tool_calls: [
        call("function-call-1", { extra_content: { google: { thought_signature: OPAQUE } } }),
        call("function-call-2"),
      ],
    }),
    answer("function-call-1"),
    answer("function-call-2"),
    replied("21 °C.", { extra_content: { google: { thought_signature: OPAQUE } } }),
  ],
  'Gemini, through a gateway: two calls with the id ""': [
    asked,
    replied(null, { tool_calls: [call(""), call("")] }),
    answer(""),
    answer(""),
    replied("21 °C."),
  ],
  "Gemini: its own parts in a field": [
    { role: "user", content: "Draw it.", parts: [{ text: "Draw it." }] },
    replied("", {
      parts: [
        { text: THOUGHT, thought: true },
        { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" }, thoughtSignature: OPAQUE },
      ],
    }),
  ],
  "DeepSeek: reasoning_content within a tool loop": [
    asked,
    replied("", { reasoning_content: THOUGHT, tool_calls: [call("call_0_1", { index: 0 })] }),
    answer("call_0_1"),
    replied("21 °C.", { reasoning_content: THOUGHT }),
  ],
  "Kimi: reasoning_content and a built-in function": [
    asked,
    replied("", {
      reasoning_content: THOUGHT,
      tool_calls: [
        { id: "web_search:0", type: "builtin_function", function: { name: "$web_search", arguments: "{}" } },
      ],
    }),
    { ...answer("web_search:0"), name: "$web_search" },
    replied("21 °C."),
  ],
  "Qwen: reasoning alone": [asked, replied("", { reasoning_content: THOUGHT })],
  "OpenRouter: reasoning_details, readable, signed and encrypted": [
    asked,
    replied("", {
      reasoning: THOUGHT,
      reasoning_details: [
        { type: "reasoning.text", text: THOUGHT, signature: OPAQUE, format: "anthropic-claude-v1", index: 0 },
        { type: "reasoning.summary", summary: THOUGHT, format: "openai-responses-v1", index: 1 },
        { type: "reasoning.encrypted", data: OPAQUE, id: "rs_1", format: "openai-responses-v1", index: 2 },
      ],
      tool_calls: [call("toolu_1", { index: 0 })],
    }),
    answer("toolu_1"),
    replied("21 °C.", {
      images: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }],
    }),
  ],
  "LiteLLM: thinking_blocks and provider_specific_fields": [
    asked,
    replied(null, {
      function_call: null,
      reasoning_content: THOUGHT,
      thinking_blocks: [{ type: "thinking", thinking: THOUGHT, signature: OPAQUE }],
      provider_specific_fields: { citations: null, thought_signatures: [OPAQUE] },
      tool_calls: [call("call_1", { provider_specific_fields: { thought_signature: OPAQUE }, index: 0 })],
    }),
    answer("call_1"),
    replied("21 °C."),
  ],
  "Mistral: thinking in a list of chunks, and a reference": [
    asked,
    replied(
      [
        { type: "thinking", thinking: [{ type: "text", text: THOUGHT }], closed: true },
        { type: "text", text: "21 °C." },
        { type: "reference", reference_ids: [1] },
      ],
      { prefix: false },
    ),
  ],
  "Groq: reasoning, and tools that it ran": [
    asked,
    replied("21 °C.", {
      reasoning: THOUGHT,
      executed_tools: [{ index: 0, type: "search", arguments: "{}", output: "21" }],
    }),
  ],
  "vLLM: empty lists, and reasoning": [
    asked,
    replied(null, {
      reasoning: THOUGHT,
      reasoning_content: THOUGHT,
      refusal: null,
      annotations: null,
      audio: null,
      function_call: null,
      tool_calls: [call("chatcmpl-tool-1")],
    }),
    answer("chatcmpl-tool-1"),
    replied("21 °C."),
  ],
  "Ollama and others: calls without a type": [
    asked,
    replied("", { thinking: THOUGHT, tool_calls: [{ id: "call_1", index: 0, function: weather }] }),
    answer("call_1"),
    replied("21 °C."),
  ],
  "Cohere: a plan and citations": [
    asked,
    replied(null, { tool_plan: "I look it up.", tool_calls: [call("get_weather_1")] }),
    {
      ...answer("get_weather_1"),
      content: [{ type: "document", document: { id: "1", data: '{"celsius":21}' } }],
    },
    replied([{ type: "text", text: "21 °C." }], {
      citations: [{ start: 0, end: 6, text: "21 °C.", sources: [] }],
    }),
  ],
  "xAI: encrypted reasoning and citations": [
    asked,
    replied("21 °C.", {
      reasoning_content: "",
      encrypted_content: OPAQUE,
      citations: ["https://w.example/"],
    }),
  ],
  "AI SDK: model messages": [
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image", image: new Uint8Array([137, 80, 78, 71]), mediaType: "image/png" },
        { type: "file", data: new URL("https://w.example/a.pdf"), mediaType: "application/pdf" },
      ],
    },
    replied([
      { type: "reasoning", text: THOUGHT, providerOptions: { anthropic: { signature: OPAQUE } } },
      { type: "tool-call", toolCallId: "toolu_1", toolName: "get_weather", input: { city: "Paris" } },
    ]),
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "toolu_1",
          toolName: "get_weather",
          output: { type: "json", value: { celsius: 21 } },
        },
      ],
    },
    replied([{ type: "text", text: "", providerOptions: { google: { thoughtSignature: OPAQUE } } }]),
  ],
  "AI SDK: UI messages of version 4": [
    {
      ...asked,
      id: "m1",
      createdAt: new Date("2026-01-02T03:04:05.678Z"),
      parts: [{ type: "text", text: "Weather?" }],
    },
    replied("", {
      id: "m2",
      createdAt: new Date("2026-01-02T03:04:06.000Z"),
      parts: [
        { type: "step-start" },
        {
          type: "reasoning",
          reasoning: THOUGHT,
          details: [{ type: "text", text: THOUGHT, signature: OPAQUE }],
        },
        {
          type: "tool-invocation",
          toolInvocation: { state: "result", toolCallId: "t", toolName: "w", args: {} },
        },
      ],
      revisionId: "r1",
    }),
  ],
  "LangChain: additional_kwargs and response_metadata": [
    asked,
    replied("", {
      additional_kwargs: { __gemini_function_call_thought_signatures__: { call_1: OPAQUE } },
      response_metadata: { model_name: "gemini-3-pro", finish_reason: "STOP" },
      tool_calls: [call("call_1")],
    }),
    answer("call_1"),
    replied("21 °C."),
  ],
  "JAF: every part in its place, with its origin": [
    {
      role: "user",
      content: [
        { type: "text", text: "Weather?" },
        { type: "media", mediaType: "image/png", fileId: "f" },
      ],
    },
    replied(
      [
        { type: "reasoning", text: THOUGHT, signature: OPAQUE },
        { type: "provider-tool-call", id: "p", name: "web_search", input: { q: "weather" } },
        { type: "provider-tool-result", id: "p", output: [{ url: "https://w.example/" }] },
        { type: "tool-call", id: "call_1" },
        { type: "reasoning", encrypted: OPAQUE, providerMetadata: { openai: { id: "rs_1" } } },
        { type: "tool-call", id: "call_2" },
      ],
      {
        id: "resp_1",
        tool_calls: [call("call_1", { providerMetadata: { openai: { itemId: "fc_1" } } }), call("call_2")],
        origin: { provider: "openai", api: "responses", model: "gpt-5.1" },
        providerMetadata: { openai: { serviceTier: "default" } },
      },
    ),
    {
      ...answer("call_1"),
      content: [{ type: "media", mediaType: "image/png", data: new Uint8Array([1, 2]) }],
    },
    answer("call_2"),
    replied([
      { type: "text", text: "21 °C." },
      { type: "source", url: "https://w.example/", title: "W" },
    ]),
  ],
};

function parsed(name: string, messages: readonly object[]): readonly Message[] {
  const result = parseMessages(messages);
  if (!result.success) throw new Error(`${name}: ${result.error.message}`);
  return result.data;
}

/** Short conversations as providers, gateways and frameworks return them, by origin. Each is replayable unchanged. */
export const rawConversations: Readonly<Record<string, readonly Message[]>> = Object.fromEntries(
  Object.entries(conversations).map(([name, messages]) => [name, parsed(name, messages)]),
);
