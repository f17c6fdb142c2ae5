import type { ModelCompletion } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import { errorIn, type Fields, fieldsOf, isObject, responseJson } from "@jaf/model-http";
import { errors } from "../errors.ts";
import { textBlocks, type WireBlock, withoutEmpty } from "../parts.ts";
import type { MessagesRequest } from "../request/request.ts";
import { messageOf, type WireReply } from "./message.ts";
import { usageOf } from "./usage.ts";

/** Parses the body of a 200. Throws an `AnthropicError` if it reports an error or isn't a reply. */
export function replyOf(text: string, provider: string): WireReply {
  const body = responseJson(text, provider, errors);
  const error = errorIn(body);
  if (error !== undefined) throw errors.reported(error, provider);
  const { content: sent, usage, ...fields } = fieldsOf(body);
  const content = contentIn(sent);
  if (!Array.isArray(content) || !content.every(isBlock)) throw errors.malformed(provider, "no message");
  return { content, usages: [fieldsOf(usage)], fields, stopReason: stopReasonIn(fields) };
}

export function stopReasonIn({ stop_reason: reason }: Fields): string | undefined {
  return typeof reason === "string" ? reason : undefined;
}

export const isBlock = (value: unknown): value is WireBlock =>
  isObject(value) && typeof value["type"] === "string";

/** Some services send a plain text. */
export const contentIn = (sent: unknown): unknown => (typeof sent === "string" ? textBlocks(sent) : sent);

export function completionOf(reply: WireReply, request: MessagesRequest): ModelCompletion {
  return {
    message: messageOf(reply, request),
    origin: request.origin,
    ...present({ finish_reason: reply.stopReason, usage: usageOf(reply.usages) }),
  };
}

/** Joins a paused reply and its continuation. */
export const joined = (paused: WireReply, next: WireReply): WireReply => ({
  content: [...paused.content, ...next.content],
  stopReason: next.stopReason,
  usages: [...paused.usages, ...next.usages],
  fields: { ...paused.fields, ...withoutEmpty(next.fields), id: paused.fields["id"] ?? next.fields["id"] },
});
