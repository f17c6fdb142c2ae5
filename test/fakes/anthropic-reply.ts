import { randomBytes } from "node:crypto";
import type { PartKey } from "./came-back.ts";
import { canonical } from "./canonical.ts";
import type { OpaqueValues, Owner } from "./opaque-values.ts";
import type { ScriptedReply } from "./scripted-reply.ts";
import { isList, isObject, type Json, type JsonObject, type StreamEvent } from "./service.ts";

interface ContentOptions {
  readonly owner: Owner;
  readonly opaque: OpaqueValues;
  /** Like the newer models: a thought has a signature and no text. */
  readonly omitsThoughts: boolean;
}

export const THOUGHT = (text: string): string => `thought: ${text}`;
export const REDACTED = "redacted";
export const FOUND = (url: string): string => `found: ${url}`;

const freshId = (prefix: string): string => `${prefix}_${randomBytes(12).toString("hex")}`;

export function contentOf(reply: ScriptedReply, options: ContentOptions): readonly JsonObject[] {
  const { owner, opaque, omitsThoughts } = options;
  const thoughts = (reply.thoughts ?? []).map((thought): JsonObject => {
    if (thought === "") return { type: "redacted_thinking", data: opaque.issue(owner, REDACTED) };
    const thinking = omitsThoughts ? "" : thought;
    return { type: "thinking", thinking, signature: opaque.issue(owner, THOUGHT(thinking)) };
  });
  const searches = (reply.searches ?? []).flatMap((query): readonly JsonObject[] => {
    const id = freshId("srvtoolu");
    const url = `https://example.com/${encodeURIComponent(query)}`;
    const found = {
      type: "web_search_result",
      url,
      title: query,
      page_age: null,
      encrypted_content: opaque.issue(owner, FOUND(url)),
    };
    return [
      { type: "server_tool_use", id, name: "web_search", input: { query } },
      { type: "web_search_tool_result", tool_use_id: id, content: [found] },
    ];
  });
  const text = reply.text === undefined ? [] : [{ type: "text", text: reply.text }];
  const calls = (reply.calls ?? []).map(({ name, input }) => ({
    type: "tool_use",
    id: freshId("toolu"),
    name,
    input,
  }));
  return [...thoughts, ...searches, ...text, ...calls];
}

/** A text may have lost its trailing white space, and a search result its fields for the caller. */
export function keyOf(role: string, block: JsonObject): PartKey {
  const whole = (...fields: readonly (Json | undefined)[]) =>
    canonical([role, block["type"] ?? null, ...fields.map((field) => field ?? null)]);
  switch (block["type"]) {
    case "thinking":
      return { whole: whole(block["thinking"], block["signature"]) };
    case "redacted_thinking":
      return { whole: whole(block["data"]) };
    case "text": {
      const text = whole(String(block["text"]).trim());
      return { mark: text, whole: text };
    }
    case "tool_use":
    case "server_tool_use":
      return { mark: whole(block["id"]), whole: whole(block["id"], block["name"], block["input"]) };
    default:
      return { whole: whole(block["tool_use_id"], block["content"]) };
  }
}

const OPAQUE: ReadonlySet<Json | undefined> = new Set([
  "thinking",
  "redacted_thinking",
  "web_search_tool_result",
]);

export const isOpaque = (block: JsonObject): boolean => OPAQUE.has(block["type"]);

export const messageOf = (model: string, reply: ScriptedReply): JsonObject => ({
  id: freshId("msg"),
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason:
    reply.pauses === true ? "pause_turn" : (reply.calls ?? []).length > 0 ? "tool_use" : "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 20 },
});

/** The events of a stream. Some fields of a message come only in its last event. */
export function streamOf(message: JsonObject, content: readonly JsonObject[]): readonly StreamEvent[] {
  const { stop_reason = null, stop_sequence = null, stop_details, container, ...told } = message;
  const { context_management, usage, ...first } = told;
  const counts = isObject(usage) ? usage : {};
  const { iterations: _, ...begun } = counts;
  const delta = { stop_reason, stop_sequence, ...known({ stop_details, container }) };
  const events: JsonObject[] = [
    {
      type: "message_start",
      message: {
        ...{ ...first, content: [], stop_reason: null, stop_sequence: null },
        usage: { ...begun, output_tokens: 1 },
      },
    },
    ...content.flatMap((block, index): readonly JsonObject[] => [
      { type: "content_block_start", index, content_block: beginningOf(block) },
      ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta, usage: counts, ...known({ context_management }) },
    { type: "message_stop" },
  ];
  return events.map((data) => ({ event: String(data["type"]), data }));
}

const known = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );

/** The part of a block that comes in one piece. */
function beginningOf(block: JsonObject): JsonObject {
  switch (block["type"]) {
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "text":
      return block["citations"] === undefined
        ? { type: "text", text: "" }
        : { type: "text", text: "", citations: [] };
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return { ...block, input: {} };
    case "compaction":
      return { type: "compaction", content: null, encrypted_content: null };
    default:
      return block;
  }
}

function deltasOf(block: JsonObject): readonly JsonObject[] {
  switch (block["type"]) {
    case "thinking":
      return [
        ...halves(String(block["thinking"])).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block["signature"] ?? "" },
      ];
    case "text": {
      const { citations } = block;
      return [
        ...halves(String(block["text"])).map((text) => ({ type: "text_delta", text })),
        ...(isList(citations) ? citations : []).map((citation) => ({ type: "citations_delta", citation })),
      ];
    }
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return halves(JSON.stringify(block["input"])).map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      }));
    case "compaction":
      return [{ ...block, type: "compaction_delta" }];
    default:
      return [];
  }
}

/** Splits a text into two pieces, if it is long enough. */
export function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}
