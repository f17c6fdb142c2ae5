import type { ModelUsage } from "@jaf/core";
import { tokenCount as count, type Fields, fieldsOf, knownCounts } from "@jaf/model-http";
import { errors, GoogleError } from "../errors.ts";

/** Google's reasons to withhold a reply or part of it. */
const FILTERS: ReadonlySet<string> = new Set([
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "ESCALATION"],
  ...["PUP_LIMITED_DISABLED", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"],
]);

/** Reasons that leave no usable reply: an invalid tool call, or Google's own tools called too often for an answer. */
const MALFORMED: ReadonlySet<string> = new Set([
  ...["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE", "TOO_MANY_TOOL_CALLS"],
]);

export const isFilter = (reason: string): boolean => FILTERS.has(reason);

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
  if (MALFORMED.has(reason)) throw errors.malformed(provider, `no usable reply (${reason})`);
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
 * `undefined` if the service reports no usage. Input includes the results of Google's own tools. The total is the sum of all
 * counts, so what it has beside the others is output: some models think without a count of it.
 */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage: Fields = fieldsOf(sent);
  const thoughts = count(usage["thoughtsTokenCount"]);
  const inputTokens = sum(count(usage["promptTokenCount"]), count(usage["toolUsePromptTokenCount"]));
  const outputTokens = sum(count(usage["candidatesTokenCount"]), thoughts);
  const unnamed = (count(usage["totalTokenCount"]) ?? 0) - (inputTokens ?? 0) - (outputTokens ?? 0);
  return knownCounts({
    inputTokens,
    outputTokens: inputTokens !== undefined && unnamed > 0 ? sum(outputTokens, unnamed) : outputTokens,
    cachedInputTokens: count(usage["cachedContentTokenCount"]),
    reasoningTokens: thoughts,
  });
}
