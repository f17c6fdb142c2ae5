import type { ModelCompletion } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { partText, present } from "@jaf/memory/internal";
import {
  collectSources,
  errorIn,
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  responseJson,
} from "@jaf/model-http";
import { errors } from "../errors.ts";
import { replyMetadata } from "../reply-metadata.ts";
import type { OpenAIRequest } from "../request/request.ts";
import { citationsIn, pagesIn } from "../sources.ts";
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
const READ = ["choices", "usage", "error", "index", "message", "delta", "finish_reason"];

export function completionOf(
  { body, choice, message }: SentCompletion,
  request: OpenAIRequest,
): ModelCompletion {
  const usage = reportedUsage(body, choice);
  const finishReason = choice["finish_reason"];
  return {
    message: {
      ...withSources(messageOf(message, request), body),
      ...replyMetadata({ ...choice, ...body }, READ, request),
    },
    origin: request.origin,
    ...(typeof finishReason === "string" ? { finish_reason: finishReason } : {}),
    ...present({ usage }),
  };
}

/** The usage of the body, of its choice (Moonshot's streams), or of Groq's own field. */
const reportedUsage = (body: Fields, choice: Fields) =>
  usageOf(body["usage"]) ?? usageOf(choice["usage"]) ?? usageOf(fieldsOf(body["x_groq"])["usage"]);

type Message = NonNullable<ModelCompletion["message"]>;

/** Puts the sources behind the text: the annotated ones, else those of Perplexity and xAI beside the message. */
function withSources(message: Message & Fields, body: Fields): Message {
  const { content } = message;
  const parts: readonly ContentPart[] =
    typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const last = parts.findLastIndex((part) => Boolean(partText(part)));
  const cited = [
    citationsIn(message["annotations"], partText(parts[last] ?? { type: "" }) ?? ""),
    pagesIn(body["search_results"]),
    pagesIn(body["citations"]),
  ].find((citations) => citations.length > 0);
  if (last === -1 || cited === undefined) return message;
  return { ...message, content: parts.toSpliced(last + 1, 0, ...collectSources().partsOf(cited)) };
}
