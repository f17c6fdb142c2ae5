import type { ModelUsage } from "@jaf/core";
import { tokenCount as count, fieldsOf, knownCounts } from "@jaf/model-http";

/** `undefined` where the endpoint doesn't say. */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  const ofInput = fieldsOf(usage["prompt_tokens_details"]);
  return knownCounts({
    inputTokens: count(usage["prompt_tokens"]),
    outputTokens: count(usage["completion_tokens"]),
    // DeepSeek has another name for it.
    cachedInputTokens: count(ofInput["cached_tokens"]) ?? count(usage["prompt_cache_hit_tokens"]),
    cacheWriteTokens: count(ofInput["cache_write_tokens"]),
    reasoningTokens: count(fieldsOf(usage["completion_tokens_details"])["reasoning_tokens"]),
  });
}
