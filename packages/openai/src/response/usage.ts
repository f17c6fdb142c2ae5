import type { ModelUsage } from "@jaf/core";
import { fieldsOf } from "@jaf/model-http";

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** `undefined` where the endpoint doesn't say. */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  const counts = {
    inputTokens: count(usage["prompt_tokens"]),
    outputTokens: count(usage["completion_tokens"]),
    cachedInputTokens:
      count(fieldsOf(usage["prompt_tokens_details"])["cached_tokens"]) ??
      // DeepSeek's name for it.
      count(usage["prompt_cache_hit_tokens"]),
    reasoningTokens: count(fieldsOf(usage["completion_tokens_details"])["reasoning_tokens"]),
  };
  const known = Object.entries(counts).filter(([, tokens]) => tokens !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
