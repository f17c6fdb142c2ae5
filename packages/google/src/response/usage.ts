import type { ModelUsage } from "@jaf/core";
import { type Fields, fieldsOf } from "@jaf/model-http";

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

const sum = (...counts: readonly (number | undefined)[]): number | undefined =>
  counts.every((each) => each === undefined)
    ? undefined
    : counts.reduce<number>((total, each) => total + (each ?? 0), 0);

/** `undefined` where the service doesn't say. What Google's own tools put into the prompt is input, too. */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage: Fields = fieldsOf(sent);
  const thoughts = count(usage["thoughtsTokenCount"]);
  const counts = {
    inputTokens: sum(count(usage["promptTokenCount"]), count(usage["toolUsePromptTokenCount"])),
    outputTokens: sum(count(usage["candidatesTokenCount"]), thoughts),
    cachedInputTokens: count(usage["cachedContentTokenCount"]),
    reasoningTokens: thoughts,
  };
  const known = Object.entries(counts).filter(([, tokens]) => tokens !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
