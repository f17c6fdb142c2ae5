import type { ModelUsage } from "./completion.ts";

/** All that a provider may count. */
const COUNTS = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const;

/** What both used, as far as it is known; `undefined` where nothing is. */
export function sumOfUsage(
  one: ModelUsage | undefined,
  other: ModelUsage | undefined,
): ModelUsage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const sum: { -readonly [Count in keyof ModelUsage]: ModelUsage[Count] } = {};
  for (const count of COUNTS) {
    const tokens = (one[count] ?? 0) + (other[count] ?? 0);
    if (one[count] !== undefined || other[count] !== undefined) sum[count] = tokens;
  }
  return sum;
}
