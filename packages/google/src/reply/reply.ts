import type { ModelUsage } from "@jaf/core";
import { tokenCount as count, type Fields, fieldsOf, isObject, knownCounts } from "@jaf/model-http";
import { errors, GoogleError } from "../errors.ts";

/** A candidate's fields that are read separately. */
const READ: ReadonlySet<string> = new Set(["content", "index", "finishReason"]);

/**
 * Merges the additional fields of a candidate: sources, citations, ratings. Events of a stream may send them in pieces or
 * repeat them, so objects are merged and the lists within them joined without duplicates.
 */
export function mergeCandidate(known: Fields, candidate: Fields): Fields {
  const merged: Record<string, unknown> = { ...known };
  for (const [field, value] of Object.entries(candidate))
    if (!READ.has(field)) merged[field] = mergedValue(merged[field], value);
  return merged;
}

function mergedValue(before: unknown, value: unknown): unknown {
  if (!isObject(before) || !isObject(value)) return value;
  const merged: Record<string, unknown> = { ...before };
  for (const [field, inner] of Object.entries(value)) {
    const known = merged[field];
    merged[field] = Array.isArray(known) && Array.isArray(inner) ? union(known, inner) : inner;
  }
  return merged;
}

function union(before: readonly unknown[], further: readonly unknown[]): readonly unknown[] {
  const known = new Set(before.map((entry) => JSON.stringify(entry)));
  return [...before, ...further.filter((entry) => !known.has(JSON.stringify(entry)))];
}

/** Google's reasons to withhold a reply or part of it. */
const FILTERS: ReadonlySet<string> = new Set([
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"],
  ...["IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"],
]);

/** Reasons for an invalid tool call, which leaves no usable reply. */
const MALFORMED: ReadonlySet<string> = new Set([
  ...["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"],
]);

export const isFilter = (reason: string): boolean => FILTERS.has(reason);

/**
 * Maps a reason to OpenAI's, as JAF's other providers do: `"stop"`, `"length"`, `"tool_calls"`, `"content_filter"`. Any
 * other reason is Google's in lower case.
 */
export function finishReasonOf(reason: string, hasCalls: boolean): string {
  if (reason === "STOP") return hasCalls ? "tool_calls" : "stop";
  if (reason === "MAX_TOKENS") return "length";
  return isFilter(reason) ? "content_filter" : reason.toLowerCase();
}

/** Throws a `GoogleError` if the reason means that there is no reply. */
export function assertReply(reason: string | undefined, provider: string): void {
  if (reason === undefined) return;
  if (MALFORMED.has(reason)) throw errors.malformed(provider, `an invalid tool call (${reason})`);
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

/** `undefined` if the service reports no usage. Input includes the prompts of Google's own tools. */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage: Fields = fieldsOf(sent);
  const thoughts = count(usage["thoughtsTokenCount"]);
  return knownCounts({
    inputTokens: sum(count(usage["promptTokenCount"]), count(usage["toolUsePromptTokenCount"])),
    outputTokens: sum(count(usage["candidatesTokenCount"]), thoughts),
    cachedInputTokens: count(usage["cachedContentTokenCount"]),
    reasoningTokens: thoughts,
  });
}
