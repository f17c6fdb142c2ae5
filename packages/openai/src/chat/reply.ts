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
  throwReported(body, provider);
  if (!isObject(body) || !Array.isArray(body["choices"])) throw errors.malformed(provider, "no completion");
  const choice = fieldsOf(listOf(body["choices"])[0]);
  return completionOf({ body, choice, message: fieldsOf(choice["message"]) }, request);
}

/** The finish reasons that say that the service failed. DeepSeek's and GLM's are the last two. */
const FAILURES: ReadonlySet<unknown> = new Set(["error", "insufficient_system_resource", "network_error"]);

/**
 * Throws the error that a body or an event reports: in `error`, in its first choice (OpenRouter), in Groq's and
 * MiniMax's own fields, or as the whole body (vLLM).
 */
export function throwReported(body: unknown, provider: string): void {
  const { choices, object, x_groq: groq, base_resp: status } = fieldsOf(body);
  const choice = fieldsOf(listOf(choices)[0]);
  const code = fieldsOf(status)["status_code"];
  const error =
    errorIn(body) ??
    choice["error"] ??
    fieldsOf(groq)["error"] ??
    (object === "error" ? body : undefined) ??
    (code ? { code } : undefined);
  if (error !== undefined || FAILURES.has(choice["finish_reason"])) throw errors.reported(error, provider);
}

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
