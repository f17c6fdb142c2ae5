import type { ModelUsage } from "@jaf/core";
import { tokenCount as count, type Fields, fieldsOf, knownCounts } from "@jaf/model-http";

/**
 * Returns the tokens and the cost that an endpoint of either API reports; `undefined` if it reports neither.
 *
 * - The output tokens are what the total holds beside the input, if the endpoint counts reasoning only there (xAI, Gemini).
 * - The input tokens include cached ones, also if the endpoint counts these apart (xAI).
 */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  // The last name is Mistral's.
  const ofInput = fieldsOf(
    usage["prompt_tokens_details"] ?? usage["input_tokens_details"] ?? usage["prompt_token_details"],
  );
  const ofOutput = fieldsOf(usage["completion_tokens_details"] ?? usage["output_tokens_details"]);
  // DeepSeek's name is `prompt_cache_hit_tokens`; the counts of Moonshot and Mistral stand beside the others.
  const cached =
    count(ofInput["cached_tokens"]) ??
    count(usage["prompt_cache_hit_tokens"]) ??
    count(usage["cached_tokens"] ?? usage["num_cached_tokens"]);
  const given = count(usage["prompt_tokens"] ?? usage["input_tokens"]);
  const inputTokens = given !== undefined && cached !== undefined && cached > given ? given + cached : given;
  const written = count(usage["completion_tokens"] ?? usage["output_tokens"]);
  const total = count(usage["total_tokens"]);
  const beside = total === undefined || inputTokens === undefined ? 0 : total - inputTokens;
  return knownCounts({
    inputTokens,
    outputTokens: written === undefined ? undefined : Math.max(written, beside),
    cachedInputTokens: cached,
    // Alibaba's name is `cache_creation_input_tokens`; LiteLLM's count stands beside the others.
    cacheWriteTokens:
      count(ofInput["cache_write_tokens"]) ??
      count(ofInput["cache_creation_input_tokens"]) ??
      count(usage["cache_creation_input_tokens"]),
    reasoningTokens: count(ofOutput["reasoning_tokens"]) ?? count(usage["reasoning_tokens"]),
    cost: costOf(usage),
  });
}

/** xAI's unit: how many there are in a dollar. */
const TICKS = 10_000_000_000;

/** What the call cost, as OpenRouter (a number), Perplexity (an object), DeepInfra and xAI (ticks) report it. */
function costOf({ cost, estimated_cost: estimated, cost_in_usd_ticks: sentTicks }: Fields) {
  const ticks = count(sentTicks);
  return (
    count(cost) ??
    count(fieldsOf(cost)["total_cost"]) ??
    count(estimated) ??
    (ticks === undefined ? undefined : ticks / TICKS)
  );
}
