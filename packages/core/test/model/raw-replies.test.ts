import { createInMemoryProvider, type RichMessage, sanitizeConversation } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type ModelCompletion, run } from "../../src/index.ts";
import { says, setup } from "../support/setup.ts";

const called = { name: "look", arguments: '{"at": "sky"}' };
const call = (more: object = {}) => ({ id: "call_a", type: "function", function: called, ...more });

/**
 * Assistant messages with a call, as providers and gateways send them; the fields that are stored in another form stand
 * beside.
 */
const raw: readonly (readonly [string, object, object?])[] = [
  [
    "OpenAI",
    { role: "assistant", content: null, refusal: null, annotations: [], tool_calls: [call()] },
    { content: "", refusal: undefined, annotations: undefined },
  ],
  [
    "OpenAI with audio",
    {
      role: "assistant",
      content: null,
      audio: { id: "audio_1", data: "UklGRg==", expires_at: 1_730_000_000, transcript: "I look." },
      tool_calls: [call()],
    },
    { content: "" },
  ],
  [
    "OpenAI with a custom call",
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "call_a", type: "custom", custom: { name: "look", input: "sky" } }],
    },
    { content: "" },
  ],
  [
    "OpenAI with citations",
    {
      role: "assistant",
      content: "See there.",
      annotations: [{ type: "url_citation", url_citation: { url: "https://example.org", start_index: 0 } }],
      tool_calls: [call()],
    },
  ],
  [
    "OpenAI Responses, in parts",
    {
      id: "resp_1",
      role: "assistant",
      content: [
        { type: "reasoning", id: "rs_1", encrypted: "gAAAA", summary: [] },
        { type: "tool-call", id: "call_a", providerMetadata: { openai: { itemId: "fc_1" } } },
      ],
      tool_calls: [call()],
    },
  ],
  [
    "DeepSeek",
    { role: "assistant", content: "", reasoning_content: "The sky, then.", tool_calls: [call({ index: 0 })] },
  ],
  [
    "Kimi with a built-in function",
    {
      role: "assistant",
      content: "",
      reasoning_content: "",
      tool_calls: [call({ type: "builtin_function" })],
    },
    { tool_calls: [call({ providerMetadata: { jaf: { type: "builtin_function" } } })] },
  ],
  [
    "OpenRouter",
    {
      role: "assistant",
      content: "",
      refusal: null,
      reasoning: "The sky, then.",
      reasoning_details: [
        { type: "reasoning.text", text: "The sky, then.", signature: "c2ln", format: "anthropic-claude-v1" },
        { type: "reasoning.encrypted", data: "AAE=", id: "rs_1" },
      ],
      tool_calls: [call({ index: 0 })],
    },
  ],
  [
    "Gemini by its compatible endpoint",
    {
      role: "assistant",
      tool_calls: [call({ extra_content: { google: { thought_signature: "CiQBjz1r" } } })],
    },
    { content: "" },
  ],
  [
    "LiteLLM",
    {
      role: "assistant",
      content: "I look.",
      thinking_blocks: [{ type: "thinking", thinking: "The sky, then.", signature: "c2ln" }],
      provider_specific_fields: { citations: null },
      tool_calls: [call({ caller: { type: "direct" } })],
    },
  ],
  [
    "Mistral",
    {
      role: "assistant",
      prefix: false,
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "The sky, then." }], closed: true },
        { type: "text", text: "I look." },
      ],
      tool_calls: [{ id: "call_a", function: called, index: 0 }],
    },
    { tool_calls: [call({ index: 0 })] },
  ],
  [
    "Ollama",
    {
      role: "assistant",
      content: "",
      thinking: "The sky, then.",
      tool_calls: [{ id: "call_a", function: { index: 0, name: "look", arguments: { at: "sky" } } }],
    },
    { tool_calls: [call({ function: { ...called, index: 0, arguments: '{"at":"sky"}' } })] },
  ],
  [
    "vLLM",
    {
      role: "assistant",
      content: null,
      reasoning: "The sky, then.",
      function_call: null,
      tool_calls: [call({ id: "call_a" })],
    },
    { content: "" },
  ],
  [
    "Anthropic, in parts",
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "The sky, then.", signature: "EqQBCgIYAhIM" },
        { type: "redacted_thinking", data: "EmwKAhgBEgy3" },
        { type: "text", text: "I look.", citations: null },
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "sky" } },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        { type: "tool-call", id: "call_a" },
      ],
      tool_calls: [call()],
    },
  ],
  [
    "the AI SDK, in parts",
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "The sky, then.", providerOptions: { anthropic: { signature: "c2ln" } } },
        { type: "file", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) },
        { type: "source", sourceType: "url", id: "s1", url: "https://example.org" },
        { type: "tool-approval-request", approvalId: "a1", toolCallId: "call_a" },
      ],
      tool_calls: [call()],
    },
  ],
];

const look = createTool({
  name: "look",
  description: "",
  parameters: z.union([z.string(), z.object({ at: z.string() })]),
  execute: (args) => `seen ${typeof args === "string" ? args : args.at}`,
});

describe("a raw reply of", () => {
  const rows = raw.map(([name, message, changed = {}]) => ({ name, message, changed }));

  it.each(rows)("$name runs, is stored, and is sent back unchanged", async ({ message, changed }) => {
    const provider = createInMemoryProvider();
    const origin = { provider: "p", api: "chat", model: "m" };
    const seen: (readonly RichMessage[])[] = [];
    const replies = [
      { message, origin },
      { message: { content: "Blue." } },
      { message: { content: "Yes." } },
    ];
    const getCompletion = async ({ messages }: { readonly messages: readonly RichMessage[] }) => {
      seen.push(messages);
      return replies.shift() as ModelCompletion;
    };
    const memory = { provider, autoStore: true } as const;
    const { config } = setup({
      model: { getCompletion },
      tools: [look],
      config: { memory, conversationId: "c" },
    });
    const { outcome } = await run(says("What colour is the sky?"), config);
    expect(outcome).toEqual({ status: "completed", output: "Blue." });
    await run(says("Sure?"), config);
    const kept = JSON.parse(JSON.stringify({ ...message, ...changed, origin }));
    for (const [, reply, answer] of seen.slice(1)) {
      expect(JSON.parse(JSON.stringify(reply))).toEqual(kept);
      expect(answer).toEqual({ role: "tool", content: "seen sky", tool_call_id: "call_a" });
    }
    expect(seen[2]).toHaveLength(5);
    expect(sanitizeConversation(seen[2] ?? [])).toBe(seen[2]);
  });
});
