import type { ModelUsage } from "./model/completion.ts";

/** All that a provider may count. */
export const USAGE_COUNTS = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof ModelUsage)[];

/** What both used, as far as it is known; `undefined` where nothing is. */
export function sumOfUsage(
  one: ModelUsage | undefined,
  other: ModelUsage | undefined,
): ModelUsage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const sum: { -readonly [Count in keyof ModelUsage]: ModelUsage[Count] } = {};
  for (const count of USAGE_COUNTS) {
    const tokens = (one[count] ?? 0) + (other[count] ?? 0);
    if (one[count] !== undefined || other[count] !== undefined) sum[count] = tokens;
  }
  return sum;
}
