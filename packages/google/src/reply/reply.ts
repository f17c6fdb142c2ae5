import type { ModelUsage } from "@jaf/core";
import { type Fields, knownCounts, tokenCount } from "@jaf/model-http";
import { errors, GoogleError } from "../errors.ts";

/** Matches Google's reasons to withhold a reply or part of it. */
const FILTER =
  /^((IMAGE_)?(SAFETY|RECITATION|PROHIBITED_CONTENT)|BLOCKLIST|SPII|MODEL_ARMOR|ESCALATION|PUP_LIMITED_DISABLED)$/;

/** Matches reasons that leave no usable reply: an invalid tool call, or Google's own tools called too often for an answer. */
const MALFORMED = /^(MALFORMED_(FUNCTION_CALL|RESPONSE)|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS)$/;

export const isFilter = (reason: string): boolean => FILTER.test(reason);

/**
 * Maps a reason to OpenAI's, as JAF's other providers do: `"stop"`, `"length"`, `"tool_calls"`, `"content_filter"`. Any
 * other reason is Google's in lower case.
 */
export function finishReasonOf(reason: string, hasCalls: boolean): string {
  if (reason === "STOP") return hasCalls ? "tool_calls" : "stop";
  if (reason === "MAX_TOKENS" || reason === "CONTINUATION") return "length";
  return isFilter(reason) ? "content_filter" : reason.toLowerCase();
}

/** Throws a `GoogleError` if the reason means that there is no reply. */
export function assertReply(reason: string | undefined, provider: string): void {
  if (reason === undefined) return;
  if (MALFORMED.test(reason)) throw errors.malformed(provider, `no usable reply (${reason})`);
  if (reason === "MISSING_THOUGHT_SIGNATURE")
    throw new GoogleError("reported", `${provider} reported an error (${reason})`, {
      code: reason,
      isRetryable: false,
    });
}

const sum = (...counts: readonly (number | undefined)[]): number | undefined =>
  counts.every((each) => each === undefined)
    ? undefined
    : counts.reduce<number>((total, each) => total + (each ?? 0), 0);

/**
 * The usage of all responses of a reply; `undefined` if the service reports none. Input includes the results of Google's own
 * tools. The total is the sum of all counts, so what it has beside the others is output: some models think without a count of it.
 */
export function usageOf(sent: readonly Fields[]): ModelUsage | undefined {
  const count = (name: string) => sum(...sent.map((usage) => tokenCount(usage[`${name}TokenCount`])));
  const thoughts = count("thoughts");
  const inputTokens = sum(count("prompt"), count("toolUsePrompt"));
  const outputTokens = sum(count("candidates"), thoughts);
  const unnamed = (count("total") ?? 0) - (inputTokens ?? 0) - (outputTokens ?? 0);
  return knownCounts({
    inputTokens,
    outputTokens: inputTokens !== undefined && unnamed > 0 ? sum(outputTokens, unnamed) : outputTokens,
    cachedInputTokens: count("cachedContent"),
    reasoningTokens: thoughts,
  });
}
