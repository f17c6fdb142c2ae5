import type { ModelUsage } from "@jaf/core";
import { fieldsOf } from "@jaf/model-http";
import { count, knownCounts } from "../../token-counts.ts";

/** `undefined` where the endpoint doesn't say. */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  const ofInput = fieldsOf(usage["input_tokens_details"]);
  return knownCounts({
    inputTokens: count(usage["input_tokens"]),
    outputTokens: count(usage["output_tokens"]),
    cachedInputTokens: count(ofInput["cached_tokens"]),
    cacheWriteTokens: count(ofInput["cache_write_tokens"]),
    reasoningTokens: count(fieldsOf(usage["output_tokens_details"])["reasoning_tokens"]),
  });
}
