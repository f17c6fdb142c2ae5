import type { ModelCompletion } from "@jaf/core";
import { errorIn, type Fields, fieldsOf, isObject, listOf } from "@jaf/model-http";
import { errors, OpenAIError } from "../../error.ts";
import { responseJson } from "../../response-json.ts";
import type { ResponsesRequest } from "../request/body.ts";
import { messageOf } from "./message.ts";
import { usageOf } from "./usage.ts";

/** The body of a 200. Throws an `OpenAIError` where it reports an error or is no response. */
export function completionOf(text: string, request: ResponsesRequest): ModelCompletion {
  const { provider } = request.origin;
  const body = responseJson(text, provider);
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
  request: ResponsesRequest,
): ModelCompletion {
  const { origin } = request;
  const usage = usageOf(response["usage"]);
  return {
    message: messageOf(listOf(output), response["id"], request),
    origin,
    finish_reason: finishReason(response, origin.provider),
    ...(usage === undefined ? {} : { usage }),
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
