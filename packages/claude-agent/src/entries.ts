import type { ContentPart, RichMessage, ToolCall } from "@jaf/memory";
import { originalIn, withOriginal } from "@jaf/memory/internal";
import type { SessionStoreEntry } from "./types.ts";

/** The field of a message that holds the SDK's entry. */
const ORIGINAL = "claudeAgent";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The message that stores an entry. An entry of type `user` or `assistant` also has the standard form of its message,
 * so that another engine can read it. Any other entry is an assistant's part that other engines leave out.
 */
export const messageOf = (entry: SessionStoreEntry): RichMessage =>
  withOriginal(
    standardOf(entry) ?? { role: "assistant", content: [{ type: "claude-agent-entry" }] },
    ORIGINAL,
    entry,
  );

/** The entry that a message stores. `undefined` if another engine has written the message. */
export function entryOf(message: RichMessage): SessionStoreEntry | undefined {
  const entry = originalIn(message, ORIGINAL);
  return isFields(entry) && typeof entry["type"] === "string" ? (entry as SessionStoreEntry) : undefined;
}

function standardOf(entry: SessionStoreEntry): RichMessage | undefined {
  const message = entry["message"];
  // Entries with `isMeta` are texts of the program, not of the user.
  if (!isFields(message) || entry["isMeta"] === true) return undefined;
  const { content } = message;
  const blocks =
    typeof content === "string" ? content : Array.isArray(content) ? content.filter(isFields) : undefined;
  if (blocks === undefined) return undefined;
  if (entry.type === "user")
    return typeof blocks === "string" ? { role: "user", content: blocks } : userMessage(blocks);
  if (entry.type !== "assistant") return undefined;
  return typeof blocks === "string" ? { role: "assistant", content: blocks } : assistantMessage(blocks);
}

/** A user's message, or the result of a tool if the entry is nothing else. */
function userMessage(blocks: readonly Fields[]): RichMessage {
  const [first] = blocks;
  const callId = first?.["tool_use_id"];
  if (blocks.length !== 1 || first?.["type"] !== "tool_result" || typeof callId !== "string") {
    return { role: "user", content: blocks.flatMap(partOf) };
  }
  const output = first["content"];
  const content = Array.isArray(output) ? output.filter(isFields).flatMap(partOf) : output;
  return {
    role: "tool",
    tool_call_id: callId,
    content: typeof content === "string" || Array.isArray(content) ? content : "",
  };
}

function assistantMessage(blocks: readonly Fields[]): RichMessage {
  const calls = blocks.flatMap(({ type, id, name, input }): ToolCall[] =>
    type === "tool_use" && typeof id === "string" && typeof name === "string"
      ? [{ id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } }]
      : [],
  );
  const content = blocks.flatMap(partOf);
  return {
    role: "assistant",
    content: content.every(({ type }) => type === "tool-call") ? "" : content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** The standard part of a block of Anthropic's API. Blocks that the standard form doesn't know keep only their type. */
function partOf(block: Fields): ContentPart[] {
  const { type, text, thinking, signature, id, source } = block;
  if (type === "text" && typeof text === "string") return [{ type, text }];
  if (type === "thinking" && typeof thinking === "string") {
    return [{ type: "reasoning", text: thinking, ...(typeof signature === "string" ? { signature } : {}) }];
  }
  if (type === "tool_use" && typeof id === "string") return [{ type: "tool-call", id }];
  if ((type === "image" || type === "document") && isFields(source)) {
    const media = mediaOf(source, type === "image" ? "image/*" : "application/octet-stream");
    if (media !== undefined) return [media];
  }
  return [{ type: typeof type === "string" ? `claude-agent-${type}` : "claude-agent-block" }];
}

function mediaOf({ type, media_type, data, url }: Fields, fallback: string): ContentPart | undefined {
  const mediaType = typeof media_type === "string" ? media_type : fallback;
  if (type === "base64" && typeof data === "string") return { type: "media", mediaType, data };
  return type === "url" && typeof url === "string" ? { type: "media", mediaType, url } : undefined;
}
