import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
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
  return createAiSdkProvider((name) => service(name), model === undefined ? {} : { model });
}

/** The README's `fetch`: the AI SDK's own follows redirects with the key. */
const followingNone: typeof fetch = (url, init) => fetch(url, { ...init, redirect: "manual" });

const body = { error: { message: QUOTED, type: "invalid_request_error", code: "bad" } };
const half = { choices: [{ index: 0, delta: { content: "Half" }, finish_reason: null }] };

/** Chat Completions through a provider of the AI SDK. */
export const compatibleApi: ModelApi<ChatAnswer> = {
  start: (steps) => startFakeChat({ steps }),
  provider: ({ baseURL }, options) => providerOf({ baseURL, fetch: followingNone }, options),
  errorName: "AiSdkCallError",
  error: { body, message: "gateway.chat answered 400 (bad)" },
  later: { body, headers: { "retry-after": "0.02" } },
  thinks: { kind: "reply", message: { reasoning_content: "Hm." } },
  stream: { half: [half], error: { error: { message: "Overloaded" } } },
};
