import type { ModelCompletion, ModelUsage } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import { type Fields, fieldsOf, textField } from "../fields.ts";
import type { KnownModel } from "../model.ts";
import { messageOf } from "./message.ts";

/** What `doGenerate` resolved with. */
export function completionOf(result: unknown, { origin }: KnownModel): ModelCompletion {
  const reply = fieldsOf(result);
  const content: readonly unknown[] = Array.isArray(reply["content"]) ? reply["content"] : [];
  const { reason } = finishReasonOf(reply["finishReason"]);
  const usage = usageOf(reply["usage"]);
  return {
    message: messageOf(content, reply),
    origin,
    ...present({ finish_reason: reason, usage }),
  };
}

export interface FinishReason {
  /** In OpenAI's words, as JAF's other providers say it: `"stop"`, `"length"`, `"tool_calls"`, `"content_filter"`. */
  readonly reason: string | undefined;
  /**
   * The provider never said why the model stopped. Providers of the AI SDK end a stream in this way also when its
   * connection was closed half-way.
   */
  readonly isUnknown: boolean;
}

const UNKNOWN: ReadonlySet<string> = new Set(["other", "unknown", "error"]);

/** Of V3 and V4, which have the provider's own word, too, and of V2, which has one word. */
export function finishReasonOf(sent: unknown): FinishReason {
  const unified = typeof sent === "string" ? sent : textField(fieldsOf(sent), "unified");
  const raw = textField(fieldsOf(sent), "raw");
  const isUnsaid = unified === undefined || UNKNOWN.has(unified);
  return {
    reason: isUnsaid ? (raw ?? unified) : unified.replace("-", "_"),
    isUnknown: isUnsaid && raw === undefined,
  };
}

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
  const known = Object.entries(counts).filter(([, tokens]) => tokens !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
