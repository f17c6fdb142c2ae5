import type { ModelCompletion, ModelUsage } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import {
  tokenCount as count,
  errorIn,
  type Fields,
  fieldsOf,
  isObject,
  knownCounts,
  responseJson,
} from "@jaf/model-http";
import { errors } from "../errors.ts";
import type { WireBlock } from "../parts.ts";
import type { MessagesRequest } from "../request/request.ts";
import { messageOf, type WireReply } from "./message.ts";

/** Parses the body of a 200. Throws an `AnthropicError` if it reports an error or isn't a reply. */
export function replyOf(text: string, provider: string): WireReply {
  const body = responseJson(text, provider, errors);
  const error = errorIn(body);
  if (error !== undefined) throw errors.reported(error, provider);
  if (!isObject(body) || !isContent(body["content"])) throw errors.malformed(provider, "no message");
  const { content, usage, ...fields } = body;
  return { content: body["content"], usage: usageOf(usage), fields, stopReason: stopReasonIn(fields) };
}

export function stopReasonIn({ stop_reason: reason }: Fields): string | undefined {
  return typeof reason === "string" ? reason : undefined;
}

export const isBlock = (value: unknown): value is WireBlock =>
  isObject(value) && typeof value["type"] === "string";

const isContent = (value: unknown): value is readonly WireBlock[] =>
  Array.isArray(value) && value.every(isBlock);

export function completionOf(reply: WireReply, request: MessagesRequest): ModelCompletion {
  const { stopReason, usage } = reply;
  return {
    message: messageOf(reply, request),
    origin: request.origin,
    ...present({ finish_reason: stopReason, usage }),
  };
}

/** Joins a paused reply and its continuation. */
export const joined = (paused: WireReply, next: WireReply): WireReply => ({
  content: [...paused.content, ...next.content],
  stopReason: next.stopReason,
  usage: sumOfUsage(paused.usage, next.usage),
  fields: { ...paused.fields, ...next.fields, id: paused.fields["id"] ?? next.fields["id"] },
});

/** `undefined` if the service reports no usage. Input includes cache reads and writes. */
export function usageOf(sent: unknown): ModelUsage | undefined {
  const usage = fieldsOf(sent);
  const cachedInputTokens = count(usage["cache_read_input_tokens"]);
  const cacheWriteTokens = count(usage["cache_creation_input_tokens"]);
  const input = count(usage["input_tokens"]);
  return knownCounts({
    inputTokens: input === undefined ? undefined : input + (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0),
    outputTokens: count(usage["output_tokens"]),
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens: count(fieldsOf(usage["output_tokens_details"])["thinking_tokens"]),
  });
}

const COUNTS = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof ModelUsage)[];

/** The usage of two requests for one reply. */
function sumOfUsage(one: ModelUsage | undefined, other: ModelUsage | undefined): ModelUsage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const sums = COUNTS.map((name) => {
    const isKnown = one[name] !== undefined || other[name] !== undefined;
    return [name, isKnown ? (one[name] ?? 0) + (other[name] ?? 0) : undefined] as const;
  });
  return knownCounts(Object.fromEntries(sums) as Record<(typeof COUNTS)[number], number | undefined>);
}
