import type { ModelCompletion, ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import { isObject } from "@jaf/model-http";
import { asksApplication, type Before, callOf, type ResponsesRequest } from "./calls.ts";
import { partReader } from "./parts.ts";
import { idOf } from "./reasoning.ts";

/** One message from a response's output items: its parts in order, with a `tool-call` part at the place of each call. */
export function messageOf(
  output: readonly unknown[],
  id: unknown,
  request: ResponsesRequest,
): NonNullable<ModelCompletion["message"]> {
  const parts: ContentPart[] = [];
  const calls: ModelToolCall[] = [];
  const items = output.filter(isObject);
  const reader = partReader(items);
  let before: Before = {};
  for (const [index, item] of items.entries()) {
    if (asksApplication(item, items.slice(index + 1), request)) {
      const call = callOf(item, request, before);
      calls.push(call);
      parts.push({ type: "tool-call", id: call.id ?? "" });
    } else parts.push(...reader.partsOf(item, before));
    before = item["type"] === "reasoning" ? present({ reasoningId: idOf(item) }) : {};
  }
  const isCallsAlone = parts.every(({ type }) => type === "tool-call");
  return {
    ...(typeof id === "string" ? { id } : {}),
    content: isCallsAlone ? null : parts,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}
