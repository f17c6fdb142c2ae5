import type { ContentPart } from "@jaf/memory";
import { jsonIn } from "@jaf/memory/internal";
import { type Fields, fieldsOf, isObject, picked, textField } from "@jaf/model-http";

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
      return {
        type: isCompaction(item) ? "compaction" : item["type"],
        text,
        ...picked(item, ["citations"]),
        ...metadata,
      };
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

/** Checks whether a text is the provider's summary of the conversation, which only the provider needs. */
export const isCompaction = ({ providerMetadata }: Fields): boolean =>
  Object.values(fieldsOf(providerMetadata)).some((metadata) => fieldsOf(metadata)["type"] === "compaction");

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
export function metadataOf(item: Fields): { readonly providerMetadata?: Fields } {
  const metadata = item["providerMetadata"];
  if (!isObject(metadata)) return {};
  const isEmpty = Object.values(metadata).every(
    (value) => value == null || (isObject(value) && Object.keys(value).length === 0),
  );
  return isEmpty ? {} : { providerMetadata: metadata };
}
