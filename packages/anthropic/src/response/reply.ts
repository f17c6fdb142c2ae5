import type { ModelUsage } from "@jaf/core";
import { errorIn, type Fields, isObject, responseJson } from "@jaf/model-http";
import { errors } from "../error.ts";
import type { WireBlock } from "../wire.ts";
import { sumOfUsage, usageOf } from "./usage.ts";

/** A reply as the service sent it, in one piece or put together. */
export interface WireReply {
  /** In the input of a streamed call there is the JSON text. */
  readonly content: readonly WireBlock[];
  readonly stopReason: string | undefined;
  readonly usage: ModelUsage | undefined;
  /** All of it but the content and the usage. */
  readonly fields: Fields;
}

/** The body of a 200. Throws an `AnthropicError` where it reports an error or is no reply. */
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

/** One reply of one that was paused and what came when it went on. */
export const joined = (paused: WireReply, next: WireReply): WireReply => ({
  content: [...paused.content, ...next.content],
  stopReason: next.stopReason,
  usage: sumOfUsage(paused.usage, next.usage),
  fields: { ...paused.fields, ...next.fields, id: paused.fields["id"] ?? next.fields["id"] },
});
