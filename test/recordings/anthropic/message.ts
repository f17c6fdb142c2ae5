import { streamOf } from "../../fakes/anthropic-reply.ts";
import type { JsonObject } from "../../fakes/service.ts";
import type { RecordedReply } from "../recording.ts";

export const MODEL = "claude-sonnet-4-6";

/** Returns the address of a page of Anthropic's documentation. */
export const documentation = (page: string): string => `https://platform.claude.com/docs/en/${page}`;

/** A reply with these blocks. `fields`: further fields of the message, e.g. its `stop_reason`. */
export function recorded(content: readonly JsonObject[], fields: JsonObject = {}): RecordedReply {
  const isCalling = content.some(({ type }) => type === "tool_use");
  const message: JsonObject = {
    ...{ id: `msg_${content.length}`, type: "message", role: "assistant", model: MODEL },
    stop_reason: isCalling ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 20 },
    ...fields,
  };
  return { whole: { ...message, content }, events: streamOf(message, content).map(({ data }) => data) };
}

export const text = (words: string, citations?: readonly JsonObject[]): JsonObject =>
  citations === undefined ? { type: "text", text: words } : { type: "text", text: words, citations };

export const use = (id: string, name: string, input: JsonObject, further: JsonObject = {}): JsonObject => ({
  ...{ type: "tool_use", id, name, input },
  ...further,
});

export const serverUse = (
  id: string,
  name: string,
  input: JsonObject,
  further: JsonObject = {},
): JsonObject => use(id, name, input, { type: "server_tool_use", ...further });

/** The result of one of the service's tools. `kind`: e.g. `"web_search"`. */
export const found = (kind: string, id: string, content: JsonObject | readonly JsonObject[]): JsonObject => ({
  ...{ type: `${kind}_tool_result`, tool_use_id: id, content },
});

export const assistant = (...content: readonly JsonObject[]): JsonObject => ({ role: "assistant", content });

/** A user's message with the result of a call. */
export const answered = (id: string, content: string | readonly JsonObject[], further: JsonObject = {}) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content, ...further }],
});
