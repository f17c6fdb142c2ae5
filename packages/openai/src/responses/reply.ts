import type { ModelCompletion } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import { errorIn, type Fields, fieldsOf, isObject, listOf, responseJson } from "@jaf/model-http";
import { errors, OpenAIError } from "../errors.ts";
import { replyMetadata } from "../reply-metadata.ts";
import { withSources } from "../sources.ts";
import { usageOf } from "../usage.ts";
import type { ResponsesRequest } from "./calls.ts";
import { messageOf } from "./message.ts";

/** Parses the body of a 200. Throws an `OpenAIError` if it reports an error or isn't a response. */
export function responsesCompletionOf(text: string, request: ResponsesRequest): ModelCompletion {
  const { provider } = request.origin;
  const body = responseJson(text, provider, errors);
  const error = errorIn(body);
  if (error !== undefined) throw errors.reported(error, provider);
  if (!isObject(body) || !Array.isArray(body["output"])) throw errors.malformed(provider, "no response");
  return endedCompletion(body, body["output"], request);
}

/** Fields of a response that become the message or its usage, and those that repeat the request. */
const READ = [
  ...["status", "output", "output_text", "error", "incomplete_details"],
  ...[
    "background",
    "conversation",
    "frequency_penalty",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
  ],
  ...["metadata", "parallel_tool_calls", "presence_penalty", "previous_response_id", "prompt"],
  ...["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"],
  ...["safety_identifier", "store", "temperature", "text", "tool_choice", "tools", "top_logprobs", "top_p"],
  ...["truncation", "user"],
];

/**
 * Reads a response that has ended. An incomplete response is accepted; its finish reason says why it stopped:
 * `"max_output_tokens"`, `"content_filter"`. Throws an `OpenAIError` if it failed, was cancelled, or is still running.
 */
export function endedCompletion(
  response: Fields,
  output: readonly unknown[],
  request: ResponsesRequest,
): ModelCompletion {
  const { origin } = request;
  const usage = usageOf(response["usage"]);
  // It says how much of the reasoning the model saw.
  const hasContext = fieldsOf(response["reasoning"])["context"];
  return {
    message: {
      ...withSources(messageOf(listOf(output), response["id"], request), response),
      ...replyMetadata(response, [...READ, hasContext ? "" : "reasoning"], request),
    },
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
