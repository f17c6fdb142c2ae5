import type { ModelUsage } from "@jaf/core";
import { type Fields, fieldsOf } from "../fields.ts";

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** As V3 and V4 have it, by kind of token, or flat, as V2 has it; `undefined` where nothing is told. */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  const input: Fields = fieldsOf(usage["inputTokens"]);
  const output: Fields = fieldsOf(usage["outputTokens"]);
  const counts = {
    inputTokens: count(input["total"]) ?? count(usage["inputTokens"]),
    outputTokens: count(output["total"]) ?? count(usage["outputTokens"]),
    cachedInputTokens: count(input["cacheRead"]) ?? count(usage["cachedInputTokens"]),
    cacheWriteTokens: count(input["cacheWrite"]),
    reasoningTokens: count(output["reasoning"]) ?? count(usage["reasoningTokens"]),
  };
  const told = Object.entries(counts).filter(([, tokens]) => tokens !== undefined);
  return told.length === 0 ? undefined : Object.fromEntries(told);
}
