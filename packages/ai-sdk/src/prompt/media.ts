import type { ContentPart } from "@jaf/memory";
import { base64Of, present, utf8Of } from "@jaf/memory/engine";
import { fieldsOf, textField } from "../fields.ts";
import type { PromptFile } from "./prompt-types.ts";

const DATA_URL = /^data:([^;,]*)(?:;[^;,]+)*?(;base64)?,/i;

/** `undefined` for a part that is no media, and for media without data, address and id. */
export function fileOf(part: ContentPart, providerKey: string): PromptFile | undefined {
  const { mediaType, source, filename } = mediaOf(part);
  const file = fileFrom(source, mediaType);
  if (file !== undefined) return { ...file, ...present({ filename }) };
  const fileId = part.type === "media" ? textField(part, "fileId") : undefined;
  if (fileId === undefined) return undefined;
  return {
    mediaType: mediaType ?? "application/octet-stream",
    data: { type: "reference", reference: { [providerKey]: fileId } },
    ...present({ filename }),
  };
}

interface FoundMedia {
  readonly mediaType?: string | undefined;
  readonly source?: unknown;
  readonly filename?: string | undefined;
}

/** Our media, those of OpenAI's chat completions, and those of the AI SDK's own messages. */
function mediaOf(part: ContentPart): FoundMedia {
  const mediaType = textField(part, "mediaType");
  const filename = textField(part, "filename");
  switch (part.type) {
    case "media":
      return { mediaType, filename, source: part["data"] ?? part["url"] };
    case "file":
      return { mediaType, filename, source: part["data"] };
    case "image":
      return { mediaType: mediaType ?? "image/*", filename, source: part["image"] };
    case "image_url": {
      const url = part["image_url"];
      return { mediaType: "image/*", source: typeof url === "string" ? url : fieldsOf(url)["url"] };
    }
    default:
      return {};
  }
}

function fileFrom(source: unknown, mediaType: string | undefined): PromptFile | undefined {
  const fallback = mediaType ?? "application/octet-stream";
  if (source instanceof Uint8Array) return { mediaType: fallback, data: { type: "data", data: source } };
  const text = source instanceof URL ? source.href : source;
  if (typeof text !== "string" || text === "") return undefined;
  const [head, declared, isBase64] = DATA_URL.exec(text) ?? [];
  if (head !== undefined) {
    const body = text.slice(head.length);
    const data = isBase64 === undefined ? base64Of(utf8Of(percentDecoded(body))) : body;
    const isExact = mediaType !== undefined && !mediaType.includes("*");
    return { mediaType: isExact ? mediaType : declared || fallback, data: { type: "data", data } };
  }
  if (!URL.canParse(text)) return { mediaType: fallback, data: { type: "data", data: text } };
  const url = new URL(text);
  const original = url.href === text ? {} : { originalUrl: text };
  return { mediaType: fallback, data: { type: "url", url, ...original } };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
