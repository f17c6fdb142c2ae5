import type { ContentPart, RichToolCall } from "@jaf/memory";
import { isExact, present } from "@jaf/memory/internal";
import type { ContentBlock, MessageContent } from "@langchain/core/messages";

/** A content block of LangChain, or a part of JAF, as an object whose fields can be read. */
export type Block = Readonly<Record<string, unknown>>;

/** The content of a stored message. */
export type StoredContent = string | readonly ContentPart[];

/**
 * Converts content of LangChain into parts that other engines know. Each block comes back exactly: a part says in its
 * field `langchain` which of several blocks it was, and a block that has no counterpart is kept in a part of its own.
 */
export function partsOf(content: MessageContent, calls: readonly RichToolCall[]): StoredContent {
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown) => {
    const original = block as Block;
    const candidates = [standardPart(original), original as ContentPart];
    const isBack = (part: ContentPart | undefined) =>
      part !== undefined && isExact(blocksOf([part], calls), [original]);
    return candidates.find(isBack) ?? { type: WRAPPED, block };
  });
}

/** Holds a block that would come back as another one. */
const WRAPPED = "langchain";

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function standardPart(block: Block): ContentPart | undefined {
  switch (block["type"]) {
    case "reasoning":
      return { type: "reasoning", ...present({ text: text(block["reasoning"]) }) };
    case "thinking":
      return {
        type: "reasoning",
        ...present({ text: text(block["thinking"]), signature: text(block["signature"]) }),
        langchain: "thinking",
      };
    case "image_url":
      return imageOfUrl(block["image_url"]);
    case "image":
    case "audio":
    case "video":
    case "file":
      return {
        type: "media",
        mediaType: text(block["mimeType"]) ?? `${block["type"] === "file" ? "application" : block["type"]}/*`,
        ...present({
          data: block["data"] as string | undefined,
          url: text(block["url"]),
          fileId: text(block["fileId"]),
        }),
        langchain: block["type"],
      };
    case "tool_call":
    case "tool_use":
      return { type: "tool-call", id: text(block["id"]) ?? "", langchain: block["type"] };
    default:
      return undefined;
  }
}

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

function imageOfUrl(image: unknown): ContentPart | undefined {
  const url = text(image) ?? text(Object(image).url);
  if (url === undefined) return undefined;
  const [, mediaType = "image/*", data] = DATA_URL.exec(url) ?? [];
  const shape = typeof image === "string" ? "image_url:text" : "image_url";
  return { type: "media", mediaType, ...(data === undefined ? { url } : { data }), langchain: shape };
}

/**
 * Converts the parts of a stored message into content of LangChain. Places of tool calls, and parts that only another
 * engine knows, have no block.
 */
export function blocksOf(parts: readonly ContentPart[], calls: readonly RichToolCall[]): ContentBlock[] {
  return parts.flatMap((part) => (blockOf(part as Block, calls) as ContentBlock | undefined) ?? []);
}

function blockOf(part: Block, calls: readonly RichToolCall[]): unknown {
  const shape = part["langchain"];
  switch (part["type"]) {
    case WRAPPED:
      return part["block"] ?? part;
    case "reasoning":
      return shape === "thinking"
        ? { type: "thinking", ...present({ thinking: part["text"], signature: part["signature"] }) }
        : { type: "reasoning", ...present({ reasoning: part["text"] }) };
    case "refusal":
      return { type: "text", text: part["refusal"] };
    case "media":
      return blockOfMedia(part);
    case "tool-call":
      return blockOfCall(part, calls);
    case "provider-tool-call":
    case "provider-tool-result":
    case "source":
      return { type: "non_standard", value: part };
    case "text":
      return part;
    default:
      // A part of another engine, which a model of LangChain would refuse.
      return undefined;
  }
}

function blockOfMedia(part: Block): Block {
  const { langchain: shape, data, url, fileId } = part;
  const mediaType = String(part["mediaType"]);
  if (shape === "image_url" || shape === "image_url:text") {
    const address = data === undefined ? url : `data:${mediaType};base64,${String(data)}`;
    return { type: "image_url", image_url: shape === "image_url" ? { url: address } : address };
  }
  const [kind = ""] = mediaType.split("/");
  const type = text(shape) ?? (["image", "audio", "video"].includes(kind) ? kind : "file");
  const mimeType = mediaType.endsWith("/*") ? undefined : mediaType;
  return { type, ...present({ mimeType, data, url: url instanceof URL ? url.href : url, fileId }) };
}

function blockOfCall({ id, langchain: shape }: Block, calls: readonly RichToolCall[]): Block | undefined {
  const call = calls.find((one) => one.id === id);
  if (shape === undefined || call === undefined) return undefined;
  const { name, args } = namedArguments(call);
  const fields = { type: shape, id, name };
  return shape === "tool_use" ? { ...fields, input: args } : { ...fields, args };
}

/** Returns the name and the arguments of a call. `args` is `undefined` if the model wrote no JSON object. */
export function namedArguments(call: RichToolCall): {
  readonly name: string;
  readonly args: Record<string, unknown> | undefined;
} {
  if ("custom" in call && call.type === "custom") {
    const { name, input } = call.custom as { readonly name: string; readonly input: string };
    return { name, args: { input } };
  }
  const { name, arguments: json } = call.function as { readonly name: string; readonly arguments: string };
  return { name, args: objectIn(json) };
}

function objectIn(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
