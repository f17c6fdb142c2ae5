import { randomBytes } from "node:crypto";
import type { PartKey } from "./came-back.ts";
import type { OpaqueValues, Owner } from "./opaque-values.ts";
import type { ScriptedReply } from "./scripted-reply.ts";
import { isObject, type Json, type JsonObject } from "./service.ts";

interface ItemOptions {
  readonly owner: Owner;
  readonly opaque: OpaqueValues;
  /** Whether the request asked for the encrypted content of reasoning. */
  readonly isEncrypted: boolean;
}

export const freshId = (prefix: string): string => `${prefix}_${randomBytes(20).toString("hex")}`;

/** Reasoning is bound to its id, and its summary is readable. */
export const REASONING = "reasoning";

/** Each thought comes before a separate item, if there are enough items. The first ones come before the searches. */
export function itemsOf(reply: ScriptedReply, options: ItemOptions): readonly JsonObject[] {
  const { owner, opaque, isEncrypted } = options;
  const reasoning = (thought: string): JsonObject => ({
    id: freshId("rs"),
    type: "reasoning",
    summary: thought === "" ? [] : [{ type: "summary_text", text: thought }],
    encrypted_content: isEncrypted ? opaque.issue(owner, REASONING) : null,
  });
  const searches = (reply.searches ?? []).map((query) => ({
    id: freshId("ws"),
    type: "web_search_call",
    status: "completed",
    action: { type: "search", query },
  }));
  const message =
    reply.text === undefined
      ? []
      : [
          {
            id: freshId("msg"),
            type: "message",
            status: "completed",
            role: "assistant",
            content: [{ type: "output_text", text: reply.text, annotations: [] }],
          },
        ];
  const calls = (reply.calls ?? []).map(({ name, input }) => ({
    id: freshId("fc"),
    type: "function_call",
    status: "completed",
    call_id: `call_${randomBytes(12).toString("hex")}`,
    name,
    arguments: JSON.stringify(input),
  }));
  const items = [...searches, ...message, ...calls];
  // Reasoning without a following item would be an empty reply.
  return items.flatMap((item, index) => {
    const thought = reply.thoughts?.[index];
    return thought === undefined ? [item] : [reasoning(thought), item];
  });
}

export const textIn = (content: Json | undefined): string => {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part: Json) => (isObject(part) ? String(part["text"] ?? part["refusal"]) : "")).join("");
};

/** Ids of items may be left out, because only a reasoning item is bound to the next one. */
export function keyOf(item: JsonObject): PartKey {
  const { type } = item;
  const whole = (...fields: readonly (Json | undefined)[]) => JSON.stringify([type, ...fields]);
  switch (type) {
    case "reasoning":
      return { whole: whole(item["encrypted_content"], item["summary"]) };
    case "function_call":
      return {
        mark: whole(item["call_id"]),
        whole: whole(item["call_id"], item["name"], item["arguments"]),
      };
    case "function_call_output":
    case "custom_tool_call_output":
      return { whole: whole(item["call_id"]) };
    case "web_search_call":
      return { mark: whole(item["id"]), whole: whole(item["id"]) };
    default: {
      const said = whole(item["role"], textIn(item["content"]));
      return { mark: said, whole: said };
    }
  }
}

export const responseOf = (model: string): JsonObject => ({
  id: freshId("resp"),
  object: "response",
  created_at: Math.floor(Date.now() / 1_000),
  status: "completed",
  error: null,
  incomplete_details: null,
  model,
  output: [],
  usage: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 10 },
    total_tokens: 120,
  },
});
