import type { ModelCompletion, ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { contentOf } from "../content.ts";
import { type Fields, isFields } from "../fields.ts";
import { callOf, isOwnCall, metadataOf, partOf } from "./parts.ts";

type ReplyMessage = NonNullable<ModelCompletion["message"]>;

/**
 * What a model said, in order, as one message: its content is a text where it holds one text and calls behind it, and else
 * parts, with the places of the calls between them. `reply`: what else is said about the whole.
 */
export function messageOf(content: readonly unknown[], reply: Fields): ReplyMessage {
  const calls: ModelToolCall[] = [];
  const parts: ContentPart[] = [];
  for (const item of content) {
    if (!isFields(item)) continue;
    if (isOwnCall(item)) {
      const call = callOf(item);
      calls.push(call);
      parts.push({ type: "tool-call", id: call.id });
      continue;
    }
    const part = partOf(item);
    if (part !== undefined) parts.push(part);
  }
  return {
    content: contentOf(parts),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...metadataOf(reply),
  };
}
