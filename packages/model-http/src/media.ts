import type { ContentPart, MediaPart } from "@jaf/memory";
import { base64Of as base64OfBytes, bytesIn, textIn as textInBytes } from "@jaf/memory/internal";
import { fieldsOf } from "./fields.ts";

/** Checks whether the part is media: an image, a file, audio or video. */
export const isMedia = (part: ContentPart): part is MediaPart =>
  part.type === "media" && typeof part["mediaType"] === "string";

/**
 * Returns data as base64 text. Bytes are encoded. A base64 text stays unchanged, and a `data:` URL is reduced to its
 * base64.
 */
export const base64Of = (data: Uint8Array | string): string =>
  typeof data === "string" ? data.replace(/^data:[^,]*,/, "") : base64OfBytes(data);

/** Checks whether the media type is text or JSON. */
export const isTextMedia = (mediaType: string): boolean => /^(text\/|application\/json\b)/.test(mediaType);

/** Decodes UTF-8 text from bytes, base64 or a `data:` URL. */
export const textIn = (data: Uint8Array | string): string =>
  textInBytes(typeof data === "string" ? bytesIn(base64Of(data)) : data);

/**
 * Returns a text in place of media that a service doesn't support: type, filename and URL in brackets, e.g.
 * `[image/png cat.png]`.
 */
export function mediaMention({ mediaType, url, filename }: MediaPart): string {
  const address = url === undefined || String(url).startsWith("data:") ? undefined : String(url);
  return `[${[mediaType, filename, address].filter((word) => word !== undefined).join(" ")}]`;
}

/**
 * Returns the URL in an image part, as OpenAI's Chat Completions or Responses API writes it. Returns `undefined` for
 * other parts.
 */
export function imageUrlOf(part: ContentPart): string | undefined {
  if (part.type !== "image_url" && part.type !== "input_image") return undefined;
  const url = fieldsOf(part["image_url"])["url"] ?? part["image_url"];
  return typeof url === "string" ? url : undefined;
}
