import type { ModelCompletion, ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { jsonIn } from "@jaf/memory/internal";
import { contentOf, type Fields, fieldsOf, isObject, picked, textField } from "@jaf/model-http";

type ReplyMessage = NonNullable<ModelCompletion["message"]>;

/**
 * Converts a reply into a message. The content is a string if the reply is one text, possibly followed by calls. Otherwise,
 * the content is a list of parts in order, with a `tool-call` part at the place of each call. `reply` has the reply's other
 * fields.
 */
export function messageOf(content: readonly unknown[], reply: Fields): ReplyMessage {
  const calls: ModelToolCall[] = [];
  const parts: ContentPart[] = [];
  for (const item of content) {
    if (!isObject(item)) continue;
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

/** Checks whether an item is a tool call that JAF runs. The provider runs other calls itself. */
export const isOwnCall = (item: Fields): boolean =>
  item["type"] === "tool-call" && item["providerExecuted"] !== true;

/** Converts a tool call. Keeps the provider's metadata of the call, e.g. a thought signature. */
export const callOf = (item: Fields): ModelToolCall => ({
  id: textField(item, "toolCallId") ?? "",
  type: "function",
  function: { name: textField(item, "toolName") ?? "", arguments: inputText(item["input"]) },
  ...(item["dynamic"] === true ? { dynamic: true } : {}),
  ...metadataOf(item),
});

/**
 * Returns the input of a tool call as JSON text. Some providers send `""` for no input, and some custom models return an
 * object.
 */
function inputText(input: unknown): string {
  const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "");
  return text.trim() === "" ? "{}" : text;
}

/**
 * Converts an item of a reply that isn't a call into a content part. Returns `undefined` if the item is empty or
 * preliminary.
 */
export function partOf(item: Fields): ContentPart | undefined {
  const metadata = metadataOf(item);
  switch (item["type"]) {
    case "text":
    case "reasoning": {
      const text = textField(item, "text") ?? "";
      if (text === "" && metadata.providerMetadata === undefined) return undefined;
      return { type: item["type"], text, ...picked(item, ["citations"]), ...metadata };
    }
    case "file":
      return { type: "media", ...mediaOf(item), ...metadata };
    case "reasoning-file":
      return { type: "reasoning-file", ...mediaOf(item), ...metadata };
    case "source":
      return { type: "source", ...picked(item, SOURCE_FIELDS), ...metadata };
    case "tool-call":
      return {
        type: "provider-tool-call",
        id: textField(item, "toolCallId") ?? "",
        name: textField(item, "toolName") ?? "",
        input: inputOf(item["input"]),
        ...picked(item, ["dynamic"]),
        ...metadata,
      };
    case "tool-result":
      if (item["preliminary"] === true) return undefined;
      return {
        type: "provider-tool-result",
        id: textField(item, "toolCallId") ?? "",
        name: textField(item, "toolName") ?? "",
        output: item["result"] ?? null,
        ...picked(item, ["isError", "dynamic"]),
        ...metadata,
      };
    default: {
      const type = textField(item, "type");
      const { providerMetadata: _, ...rest } = item;
      return type === undefined ? undefined : { ...rest, type, ...metadata };
    }
  }
}

const SOURCE_FIELDS = ["id", "sourceType", "url", "title", "mediaType", "filename"] as const;

function mediaOf(item: Fields): {
  readonly mediaType: string;
  readonly data?: unknown;
  readonly url?: unknown;
} {
  const mediaType = textField(item, "mediaType") ?? "application/octet-stream";
  const { data } = item;
  if (typeof data === "string" || data instanceof Uint8Array) return { mediaType, data };
  // V4 has separate fields for data and URL.
  return { mediaType, ...picked(fieldsOf(data), ["data", "url"]) };
}

/** Parses the input if it is JSON text. Returns other text unchanged. */
function inputOf(input: unknown): unknown {
  if (typeof input !== "string") return input ?? {};
  return input.trim() === "" ? {} : (jsonIn(input) ?? input);
}

/** Returns the provider's metadata of an item. Leaves out empty metadata, which many providers send with every item. */
function metadataOf(item: Fields): { readonly providerMetadata?: Fields } {
  const metadata = item["providerMetadata"];
  if (!isObject(metadata)) return {};
  const isEmpty = Object.values(metadata).every(
    (value) => value == null || (isObject(value) && Object.keys(value).length === 0),
  );
  return isEmpty ? {} : { providerMetadata: metadata };
}
