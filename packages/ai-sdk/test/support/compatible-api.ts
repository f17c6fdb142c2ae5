import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV3Content, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { present } from "@jaf/memory/internal";
import { wrapLanguageModel } from "ai";
import { expect } from "vitest";
import { type ChatAnswer, startFakeChat } from "../../../../test/fakes/openai-chat.ts";
import { type ModelApi, QUOTED } from "../../../../test/models/model-api.ts";
import { createAiSdkProvider } from "../../src/index.ts";

interface Given {
  readonly baseURL: string;
  readonly fetch?: typeof globalThis.fetch;
}

export function providerOf(
  { baseURL, fetch }: Given,
  { model }: { readonly model?: string | undefined } = { model: "m" },
) {
  const own = fetch === undefined ? {} : { fetch };
  const service = createOpenAICompatible({ name: "gateway", baseURL, apiKey: "k", ...own });
  const modelOf = (name: string) => wrapLanguageModel({ model: service(name), middleware: searching });
  // The AI SDK would ask for JSON without this word in the prompt, which the service refuses.
  return createAiSdkProvider(modelOf, { structuredOutput: false, ...present({ model }) });
}

/** Makes `web_search` a tool of the service. The AI SDK's provider for compatible services has no such tools. */
const searching: Parameters<typeof wrapLanguageModel>[0]["middleware"] = {
  specificationVersion: "v3",
  wrapGenerate: async ({ doGenerate }) => {
    const { content, ...result } = await doGenerate();
    return { ...result, content: content.map(ranByService) };
  },
  wrapStream: async ({ doStream }) => {
    const { stream, ...result } = await doStream();
    const transform = new TransformStream<LanguageModelV3StreamPart>({
      transform: (piece, controller) => controller.enqueue(ranByService(piece)),
    });
    return { ...result, stream: stream.pipeThrough(transform) };
  },
};

const ranByService = <Item extends LanguageModelV3Content | LanguageModelV3StreamPart>(item: Item): Item =>
  item.type === "tool-call" && item.toolName === "web_search" ? { ...item, providerExecuted: true } : item;

/** The README's `fetch`: the AI SDK's own follows redirects with the key. */
const followingNone: typeof fetch = (url, init) => fetch(url, { ...init, redirect: "manual" });

const body = { error: { message: QUOTED, type: "invalid_request_error", code: "bad" } };
const half = { choices: [{ index: 0, delta: { content: "Half" }, finish_reason: null }] };

const call = (id: string, name: string, text: string) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

const calling = (...calls: readonly ReturnType<typeof call>[]): ChatAnswer => ({
  kind: "reply",
  message: { tool_calls: calls },
});

const wrongCalls = [call("call_1", "add", '{"a": 1'), call("call_2", "nothing", "{}")];

/** Chat Completions through a provider of the AI SDK. */
export const compatibleApi: ModelApi<ChatAnswer> = {
  start: (steps) => startFakeChat({ steps }),
  provider: ({ baseURL }, options) => providerOf({ baseURL, fetch: followingNone }, options),
  errorName: "AiSdkCallError",
  error: { body, message: "gateway.chat answered 400 (bad)" },
  later: { body, headers: { "retry-after": "0.02" } },
  thinks: { kind: "reply", message: { reasoning_content: "Hm." } },
  // A reply without a choice is an error of the AI SDK.
  empty: {},
  stops: {
    reasons: [
      { reason: "length", told: "length" },
      { reason: "content_filter", told: "content_filter" },
    ],
    reply: (finishReason, content = "") => ({ kind: "reply", message: { content }, finishReason }),
  },
  refuses: { reply: { kind: "reply", message: { content: null, refusal: "I won't." } }, words: "I won't." },
  unanswered: { reply: calling(call("call_1", "web_search", '{"query": "a"}')), tool: "web_search" },
  unconfigured: {
    reply: calling(call("call_1", "bash", '{"command": "ls"}')),
    tool: "bash",
    agent: { modelConfig: { providerOptions: { gateway: { tools: [{ id: "gateway.bash_20250124" }] } } } },
  },
  wrongCalls: {
    reply: calling(...wrongCalls),
    sent: {
      messages: [
        ...[{ role: "system" }, { role: "user" }, { role: "assistant" }],
        { role: "tool", content: expect.stringContaining("INVALID_INPUT") },
        { role: "tool", content: expect.stringContaining("TOOL_NOT_FOUND") },
      ],
    },
  },
  stream: { half: [half], error: { error: { message: "Overloaded" } } },
};
