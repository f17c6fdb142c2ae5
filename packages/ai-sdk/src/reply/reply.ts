import type { ModelCompletion, ModelUsage } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import { tokenCount as count, type Fields, fieldsOf, knownCounts, listOf, textField } from "@jaf/model-http";
import { errors } from "../errors.ts";
import type { CallableTools, KnownModel } from "../model.ts";
import { messageOf } from "./message.ts";

/** The model that replies, and the tools that it was told of. */
export interface Replying {
  readonly known: KnownModel;
  readonly tools: CallableTools;
}

/**
 * Converts the result of a model's `doGenerate` into a reply for the engine. Throws an `AiSdkCallError` if the model ended
 * with an error or paused, or calls a tool of its provider that the application runs, without such a tool of the agent.
 */
export function completionOf(result: unknown, { known, tools }: Replying): ModelCompletion {
  const { content, ...fields } = fieldsOf(result);
  const { provider } = known.model;
  const { reason, raw, isError } = finishReasonOf(fields["finishReason"], provider);
  if (isError) throw errors.reported({ code: raw }, provider);
  if (raw === "pause_turn" || raw === "compaction")
    throw errors.configuration(`${provider} paused its reply (${raw}): only @jaf/anthropic continues it`);
  // Where only the AI SDK says that the reply was filtered, it has the text of a refusal.
  const filtered = reason === "content_filter";
  const refusal =
    filtered && raw === "refusal" ? "cut" : filtered && (raw ?? "stop") === "stop" ? "text" : undefined;
  const message = messageOf({ content: listOf(content), fields, refusal });
  for (const { function: called, ...call } of message.tool_calls ?? []) {
    const name = called?.name ?? "";
    if ("approvalId" in call || !tools.provider.has(name) || tools.own.has(name)) continue;
    throw errors.configuration(
      `${provider} doesn't run its tool "${name}", which the model calls: give the agent a tool of this name`,
    );
  }
  return {
    message,
    origin: known.origin,
    ...present({ finish_reason: reason, usage: usageOf(fields["usage"]) }),
  };
}

export interface FinishReason {
  /**
   * Why the reply ended, in OpenAI's words: `"stop"`, `"length"`, `"tool_calls"`, `"content_filter"`, or the provider's own
   * word.
   */
  readonly reason: string | undefined;
  /** The provider's own word. */
  readonly raw: string | undefined;
  /** Whether the model ended with an error. */
  readonly isError: boolean;
  /**
   * Whether the provider sent no reason. AI SDK providers also send no reason if the connection was closed before the end.
   */
  readonly isUnknown: boolean;
}

const UNKNOWN: ReadonlySet<string> = new Set(["other", "unknown", "error", "interrupted"]);

/** The provider's own words for a reply that has no usable end, most of them Google's. */
const FAILED = /^(error|(MALFORMED|UNEXPECTED|TOO_MANY)_.*)$/;

/** Reads why a reply ended. Specifications V3 and V4 also send the provider's own reason; V2 sends a single string. */
export function finishReasonOf(sent: unknown, provider: string): FinishReason {
  const unified = typeof sent === "string" ? sent : textField(fieldsOf(sent), "unified");
  const raw = typeof sent === "string" ? rawV2(sent, provider) : textField(fieldsOf(sent), "raw");
  const isUnsaid = unified === undefined || UNKNOWN.has(unified);
  return {
    reason: isUnsaid ? (raw ?? unified) : unified.replace("-", "_"),
    raw,
    isError: unified === "error" || FAILED.test(raw ?? ""),
    isUnknown: isUnsaid && (raw === undefined || unified === "interrupted"),
  };
}

/** Anthropic has no filter but refusals. V2 has a word of its own for no reason. */
function rawV2(unified: string, provider: string): string | undefined {
  if (unified !== "other" && UNKNOWN.has(unified)) return undefined;
  return unified === "content-filter" && provider.includes("anthropic") ? "refusal" : unified;
}

/**
 * Reads the token counts of a reply. Specifications V3 and V4 send nested counts, V2 flat ones. Returns `undefined` without
 * counts.
 */
function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  const input: Fields = fieldsOf(usage["inputTokens"]);
  const output: Fields = fieldsOf(usage["outputTokens"]);
  return knownCounts({
    inputTokens: count(input["total"]) ?? count(usage["inputTokens"]),
    outputTokens: count(output["total"]) ?? count(usage["outputTokens"]),
    cachedInputTokens: count(input["cacheRead"]) ?? count(usage["cachedInputTokens"]),
    cacheWriteTokens: count(input["cacheWrite"]),
    reasoningTokens: count(output["reasoning"]) ?? count(usage["reasoningTokens"]),
    // The service's own usage, e.g. OpenRouter's.
    cost: count(fieldsOf(usage["raw"])["cost"]),
  });
}
