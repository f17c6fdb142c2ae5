import type {
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import { MockLanguageModelV3 } from "ai/test";

export const USAGE: LanguageModelV3GenerateResult["usage"] = {
  inputTokens: { total: 20, noCache: 5, cacheRead: 15, cacheWrite: undefined },
  outputTokens: { total: 9, text: 2, reasoning: 7 },
};

export const STOP = { unified: "stop", raw: "end_turn" } as const;

export const generated = (
  content: LanguageModelV3Content[],
  more: Partial<LanguageModelV3GenerateResult> = {},
): LanguageModelV3GenerateResult => ({ content, finishReason: STOP, usage: USAGE, warnings: [], ...more });

export const streamOf = (
  parts: readonly LanguageModelV3StreamPart[],
): ReadableStream<LanguageModelV3StreamPart> =>
  new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

/** A model with these replies, in order. `doGenerateCalls` has its calls. */
export const modelSaying = (
  contents: readonly LanguageModelV3Content[][],
  { provider = "anthropic.messages", modelId = "claude" } = {},
): MockLanguageModelV3 =>
  new MockLanguageModelV3({ provider, modelId, doGenerate: contents.map((content) => generated(content)) });
