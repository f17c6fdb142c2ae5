import type { ModelCompletion, ModelUsage } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import { tokenCount as count, type Fields, fieldsOf, knownCounts, listOf, textField } from "@jaf/model-http";
import type { KnownModel } from "../model.ts";
import { messageOf } from "./message.ts";

/** Converts the result of a model's `doGenerate` into a reply for the engine. */
export function completionOf(result: unknown, { origin }: KnownModel): ModelCompletion {
  const reply = fieldsOf(result);
  const { reason } = finishReasonOf(reply["finishReason"]);
  const usage = usageOf(reply["usage"]);
  return {
    message: messageOf(listOf(reply["content"]), reply),
    origin,
    ...present({ finish_reason: reason, usage }),
  };
}

export interface FinishReason {
  /**
   * Why the reply ended, in OpenAI's words: `"stop"`, `"length"`, `"tool_calls"`, `"content_filter"`, or the provider's own
   * word.
   */
  readonly reason: string | undefined;
  /**
   * Whether the provider sent no reason. AI SDK providers also send no reason if the connection was closed before the end.
   */
  readonly isUnknown: boolean;
}

const UNKNOWN: ReadonlySet<string> = new Set(["other", "unknown", "error"]);

/** Reads why a reply ended. Specifications V3 and V4 also send the provider's own reason; V2 sends a single string. */
export function finishReasonOf(sent: unknown): FinishReason {
  const unified = typeof sent === "string" ? sent : textField(fieldsOf(sent), "unified");
  const raw = textField(fieldsOf(sent), "raw");
  const isUnsaid = unified === undefined || UNKNOWN.has(unified);
  return {
    reason: isUnsaid ? (raw ?? unified) : unified.replace("-", "_"),
    isUnknown: isUnsaid && raw === undefined,
  };
}

/**
 * Reads the token counts of a reply. Specifications V3 and V4 send nested counts, V2 flat ones. Returns `undefined` without
 * counts.
 */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  const input: Fields = fieldsOf(usage["inputTokens"]);
  const output: Fields = fieldsOf(usage["outputTokens"]);
  return knownCounts({
    inputTokens: count(input["total"]) ?? count(usage["inputTokens"]),
    outputTokens: count(output["total"]) ?? count(usage["outputTokens"]),
    cachedInputTokens: count(input["cacheRead"]) ?? count(usage["cachedInputTokens"]),
    cacheWriteTokens: count(input["cacheWrite"]),
    reasoningTokens: count(output["reasoning"]) ?? count(usage["reasoningTokens"]),
  });
}
