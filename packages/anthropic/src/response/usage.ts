import type { ModelUsage } from "@jaf/core";
import { tokenCount as count, fieldsOf, knownCounts } from "@jaf/model-http";

/** `undefined` where the service doesn't say. What is read from its cache and written to it counts as input. */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  const cachedInputTokens = count(usage["cache_read_input_tokens"]);
  const cacheWriteTokens = count(usage["cache_creation_input_tokens"]);
  const input = count(usage["input_tokens"]);
  return knownCounts({
    inputTokens: input === undefined ? undefined : input + (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0),
    outputTokens: count(usage["output_tokens"]),
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens: count(fieldsOf(usage["output_tokens_details"])["thinking_tokens"]),
  });
}

const COUNTS = [
  ...["inputTokens", "outputTokens", "cachedInputTokens", "cacheWriteTokens", "reasoningTokens"],
] as readonly (keyof ModelUsage)[];

/** Of two requests that gave one reply. */
export function sumOfUsage(
  one: ModelUsage | undefined,
  other: ModelUsage | undefined,
): ModelUsage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const sums = COUNTS.map((name) => {
    const isKnown = one[name] !== undefined || other[name] !== undefined;
    return [name, isKnown ? (one[name] ?? 0) + (other[name] ?? 0) : undefined];
  });
  return knownCounts(Object.fromEntries(sums));
}
