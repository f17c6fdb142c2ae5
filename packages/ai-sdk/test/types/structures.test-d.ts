import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV2, LanguageModelV3, LanguageModelV3Middleware } from "@ai-sdk/provider";
import type { LanguageModelV4, LanguageModelV4Middleware } from "@ai-sdk/provider-v4";
import type { ModelProvider } from "@jaf/core";
import { createInMemoryProvider, type Message, type RichMessage } from "@jaf/memory";
import {
  convertToModelMessages,
  type ModelMessage,
  type ToolSet,
  type UIMessage,
  validateUIMessages,
} from "ai";
import { describe, expectTypeOf, it } from "vitest";
import { type AiSdkModel, createAiSdkProvider, fromUIMessages, toUIMessages } from "../../src/index.ts";
import {
  loadModelMessages,
  loadUIMessages,
  storeModelMessages,
  storeUIMessages,
} from "../../src/memory/index.ts";
import { userMemoryMiddleware, userMemoryTools } from "../../src/user-memory/index.ts";

declare const messages: readonly RichMessage[];

describe("the types of the AI SDK", () => {
  it("accept its language models of each specification", () => {
    expectTypeOf<LanguageModelV2>().toExtend<AiSdkModel>();
    expectTypeOf<LanguageModelV3>().toExtend<AiSdkModel>();
    expectTypeOf<LanguageModelV4>().toExtend<AiSdkModel>();
    // @ts-expect-error: model ids need the gateway of `ai`
    createAiSdkProvider("openai/gpt-5");
  });

  it("accept its providers as factories", () => {
    const anthropic = createAnthropic({ apiKey: "k" });
    expectTypeOf(createAiSdkProvider(anthropic)).toExtend<ModelProvider<{ userId: string }>>();
    createAiSdkProvider(createOpenAICompatible({ name: "local", baseURL: "http://localhost" }));
    createAiSdkProvider<{ userId: string }>(anthropic("claude-sonnet-4-5"));
  });

  it("accept its UI messages in both directions", () => {
    expectTypeOf(toUIMessages(messages)).toExtend<UIMessage[]>();
    void convertToModelMessages(toUIMessages(messages));
    void validateUIMessages({ messages: toUIMessages(messages) });
    const ui: UIMessage[] = [];
    const parsed = fromUIMessages(ui);
    if (parsed.success) expectTypeOf(parsed.data).toEqualTypeOf<readonly Message[]>();
  });
});

describe("the types of the memory", () => {
  const provider = createInMemoryProvider();
  const chat = { provider, conversationId: "c" };

  it("give the application's own messages back", () => {
    type Own = UIMessage<{ model: string }, { price: { cents: number } }>;
    const own: Own[] = [];
    expectTypeOf(storeUIMessages(chat, own)).resolves.toEqualTypeOf<Own[]>();
    expectTypeOf(loadUIMessages<Own>(chat)).resolves.toEqualTypeOf<Own[]>();
    expectTypeOf(loadUIMessages(chat)).resolves.toExtend<UIMessage[]>();
    const messages: ModelMessage[] = [];
    expectTypeOf(storeModelMessages(chat, messages)).resolves.toEqualTypeOf<ModelMessage[]>();
    expectTypeOf(loadModelMessages<ModelMessage>(chat)).resolves.toEqualTypeOf<ModelMessage[]>();
  });

  it("are those of middleware and tools", () => {
    expectTypeOf(userMemoryMiddleware({ user: "u" })).toExtend<LanguageModelV3Middleware>();
    expectTypeOf(
      userMemoryMiddleware({ user: "u", specification: "v4" }),
    ).toExtend<LanguageModelV4Middleware>();
    expectTypeOf(userMemoryTools({ user: "u" })).toExtend<ToolSet>();
  });
});
