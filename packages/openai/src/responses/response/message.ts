import type { ModelCompletion, ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { isObject } from "@jaf/model-http";
import { type CallNames, callOf, isCall } from "./item-call.ts";
import { partsOf } from "./item-parts.ts";

/** The output items of a response as one message: parts in their order, with the places of the calls between them. */
export function messageOf(
  output: readonly unknown[],
  id: unknown,
  names: CallNames,
): NonNullable<ModelCompletion["message"]> {
  const parts: ContentPart[] = [];
  const calls: ModelToolCall[] = [];
  let before: { readonly reasoningId?: string } = {};
  for (const item of output) {
    if (!isObject(item)) continue;
    if (isCall(item)) {
      const call = callOf(item, names, before);
      calls.push(call);
      parts.push({ type: "tool-call", id: call.id ?? "" });
    } else parts.push(...partsOf(item, before));
    const reasoningId = item["type"] === "reasoning" ? item["id"] : undefined;
    before = typeof reasoningId === "string" ? { reasoningId } : {};
  }
  const isCallsAlone = parts.every(({ type }) => type === "tool-call");
  return {
    ...(typeof id === "string" ? { id } : {}),
    content: isCallsAlone ? null : parts,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}
