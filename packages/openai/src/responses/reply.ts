import type { ModelCompletion, ModelUsage } from "@jaf/core";
import { present } from "@jaf/memory/internal";
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
import { errors, OpenAIError } from "../errors.ts";
import type { OpenAIRequest } from "../request/request.ts";
import { messageOf } from "./message.ts";

/** Parses the body of a 200. Throws an `OpenAIError` if it reports an error or isn't a response. */
export function responsesCompletionOf(text: string, request: OpenAIRequest): ModelCompletion {
  const { provider } = request.origin;
  const body = responseJson(text, provider, errors);
  const error = errorIn(body);
  if (error !== undefined) throw errors.reported(error, provider);
  if (!isObject(body) || !Array.isArray(body["output"])) throw errors.malformed(provider, "no response");
  return endedCompletion(body, body["output"], request);
}

/**
 * Reads a response that has ended. An incomplete response is accepted; its finish reason says why it stopped:
 * `"max_output_tokens"`, `"content_filter"`. Throws an `OpenAIError` if it failed, was cancelled, or is still running.
 */
export function endedCompletion(
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

/** `undefined` if the endpoint reports no usage. */
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
