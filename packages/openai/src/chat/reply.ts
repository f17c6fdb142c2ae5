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

/** Parses the body of a 200. Throws an `OpenAIError` if it reports an error or isn't a completion. */
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

/** The error in a body, or in its first choice, as OpenRouter sends it. */
export const choiceError = (body: unknown): unknown =>
  errorIn(body) ?? fieldsOf(listOf(fieldsOf(body)["choices"])[0])["error"];

/** `undefined` if the endpoint reports no usage. */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  const ofInput = fieldsOf(usage["prompt_tokens_details"]);
  return knownCounts({
    inputTokens: count(usage["prompt_tokens"]),
    outputTokens: count(usage["completion_tokens"]),
    // DeepSeek's name is `prompt_cache_hit_tokens`.
    cachedInputTokens: count(ofInput["cached_tokens"]) ?? count(usage["prompt_cache_hit_tokens"]),
    cacheWriteTokens: count(ofInput["cache_write_tokens"]),
    reasoningTokens: count(fieldsOf(usage["completion_tokens_details"])["reasoning_tokens"]),
  });
}
