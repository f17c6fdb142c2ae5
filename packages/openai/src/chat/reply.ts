import type { ModelCompletion, ModelUsage } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import {
  tokenCount as count,
  errorIn,
  fieldsOf,
  isObject,
  knownCounts,
  listOf,
  responseJson,
} from "@jaf/model-http";
import { errors } from "../errors.ts";
import type { OpenAIRequest } from "../request/request.ts";
import { messageOf } from "./message.ts";

/** The body of a 200. Throws an `OpenAIError` where it reports an error or is no completion. */
export function chatCompletionOf(text: string, request: OpenAIRequest): ModelCompletion {
  const { provider } = request.origin;
  const body = responseJson(text, provider, errors);
  const error = choiceError(body);
  if (error !== undefined && error !== null) throw errors.reported(error, provider);
  if (!isObject(body) || !Array.isArray(body["choices"])) throw errors.malformed(provider, "no completion");
  const choice = fieldsOf(listOf(body["choices"])[0]);
  if (choice["finish_reason"] === "error") throw errors.reported(undefined, provider);
  const usage = usageOf(body["usage"]);
  const finishReason = choice["finish_reason"];
  return {
    message: messageOf(fieldsOf(choice["message"]), request),
    origin: request.origin,
    ...(typeof finishReason === "string" ? { finish_reason: finishReason } : {}),
    ...present({ usage }),
  };
}

/** Also of a reply that holds one in its first choice, as OpenRouter's do. */
export const choiceError = (body: unknown): unknown =>
  errorIn(body) ?? fieldsOf(listOf(fieldsOf(body)["choices"])[0])["error"];

/** `undefined` where the endpoint doesn't say. */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  const ofInput = fieldsOf(usage["prompt_tokens_details"]);
  return knownCounts({
    inputTokens: count(usage["prompt_tokens"]),
    outputTokens: count(usage["completion_tokens"]),
    // DeepSeek has another name for it.
    cachedInputTokens: count(ofInput["cached_tokens"]) ?? count(usage["prompt_cache_hit_tokens"]),
    cacheWriteTokens: count(ofInput["cache_write_tokens"]),
    reasoningTokens: count(fieldsOf(usage["completion_tokens_details"])["reasoning_tokens"]),
  });
}
