import type { ModelCompletion, ModelToolCall, ModelUsage } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { present } from "@jaf/memory/engine";
import {
  tokenCount as count,
  errorIn,
  type Fields,
  fieldsOf,
  isObject,
  knownCounts,
  listOf,
  responseJson,
} from "@jaf/model-http";
import { errors, OpenAIError } from "../../error.ts";
import type { OpenAIRequest } from "../../provider.ts";
import { type CallNames, callOf, isCall } from "./item-call.ts";
import { partsOf } from "./item-parts.ts";

/** The body of a 200. Throws an `OpenAIError` where it reports an error or is no response. */
export function completionOf(text: string, request: OpenAIRequest): ModelCompletion {
  const { provider } = request.origin;
  const body = responseJson(text, provider, errors);
  const error = errorIn(body);
  if (error !== undefined) throw errors.reported(error, provider);
  if (!isObject(body) || !Array.isArray(body["output"])) throw errors.malformed(provider, "no response");
  return responseCompletion(body, body["output"], request);
}

/**
 * A response that has ended, with its output items. One that was stopped early counts, and says by its finish reason why:
 * `"max_output_tokens"`, `"content_filter"`. Throws an `OpenAIError` where it has failed, was cancelled, or goes on.
 */
export function responseCompletion(
  response: Fields,
  output: readonly unknown[],
  request: OpenAIRequest,
): ModelCompletion {
  const { origin } = request;
  const usage = usageOf(response["usage"]);
  return {
    message: messageOf(listOf(output), response["id"], request),
    origin,
    finish_reason: finishReason(response, origin.provider),
    ...present({ usage }),
  };
}

function finishReason(response: Fields, provider: string): string {
  const { status } = response;
  switch (status) {
    case "failed":
      throw errors.reported(errorIn(response), provider);
    case "cancelled": {
      const details = { code: "cancelled", isRetryable: false };
      throw new OpenAIError("reported", `${provider} says that the response was cancelled`, details);
    }
    case "queued":
    case "in_progress":
      throw errors.malformed(provider, "a response that hasn't ended");
    case "incomplete": {
      const { reason } = fieldsOf(response["incomplete_details"]);
      return typeof reason === "string" ? reason : status;
    }
    default:
      return "completed";
  }
}

/** The output items of a response as one message: parts in their order, with the places of the calls between them. */
function messageOf(
  output: readonly unknown[],
  id: unknown,
  names: CallNames,
): NonNullable<ModelCompletion["message"]> {
  const parts: ContentPart[] = [];
  const calls: ModelToolCall[] = [];
  let before: { readonly reasoningId?: string } = {};
  for (const item of output) {
    if (!isObject(item)) continue;
    if (isCall(item)) {
      const call = callOf(item, names, before);
      calls.push(call);
      parts.push({ type: "tool-call", id: call.id ?? "" });
    } else parts.push(...partsOf(item, before));
    const reasoningId = item["type"] === "reasoning" ? item["id"] : undefined;
    before = typeof reasoningId === "string" ? { reasoningId } : {};
  }
  const isCallsAlone = parts.every(({ type }) => type === "tool-call");
  return {
    ...(typeof id === "string" ? { id } : {}),
    content: isCallsAlone ? null : parts,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** `undefined` where the endpoint doesn't say. */
function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  const ofInput = fieldsOf(usage["input_tokens_details"]);
  return knownCounts({
    inputTokens: count(usage["input_tokens"]),
    outputTokens: count(usage["output_tokens"]),
    cachedInputTokens: count(ofInput["cached_tokens"]),
    cacheWriteTokens: count(ofInput["cache_write_tokens"]),
    reasoningTokens: count(fieldsOf(usage["output_tokens_details"])["reasoning_tokens"]),
  });
}
