import type { ModelCompletion } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import { errorIn, type Fields, fieldsOf, isObject, listOf, responseJson } from "@jaf/model-http";
import { errors } from "../errors.ts";
import { replyMetadata } from "../reply-metadata.ts";
import type { OpenAIRequest } from "../request/request.ts";
import { withSources } from "../sources.ts";
import { usageOf } from "../usage.ts";
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
  return completionOf({ body, choice, message: fieldsOf(choice["message"]) }, request);
}

/** The error in a body, or in its first choice, as OpenRouter sends it. */
export const choiceError = (body: unknown): unknown =>
  errorIn(body) ?? fieldsOf(listOf(fieldsOf(body)["choices"])[0])["error"];

/** A completion, in one piece or collected from a stream. */
export interface SentCompletion {
  readonly body: Fields;
  readonly choice: Fields;
  readonly message: Fields;
}

/** Fields of the body and of its choice that become the message, its usage and its finish reason. */
const READ = ["choices", "error", "index", "message", "delta", "finish_reason"];

export function completionOf(
  { body, choice, message }: SentCompletion,
  request: OpenAIRequest,
): ModelCompletion {
  const reported = reportedUsage(body, choice);
  const usage = usageOf(reported);
  const finishReason = choice["finish_reason"];
  return {
    message: {
      ...withSources(messageOf(message, request), body),
      ...replyMetadata({ ...choice, ...body, usage: reported }, READ, request),
    },
    origin: request.origin,
    ...(typeof finishReason === "string" ? { finish_reason: finishReason } : {}),
    ...present({ usage }),
  };
}

/** The usage of the body, of its choice (Moonshot's streams), or of Groq's own field. */
const reportedUsage = (body: Fields, choice: Fields): unknown =>
  [body["usage"], choice["usage"], fieldsOf(body["x_groq"])["usage"]].find(usageOf);
