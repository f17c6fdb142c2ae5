import type { ContentPart, MediaPart } from "@jaf/memory";
import { base64Of as base64OfBytes, bytesIn, textIn as textInBytes } from "@jaf/memory/internal";
import { fieldsOf } from "./fields.ts";

export const isMedia = (part: ContentPart): part is MediaPart =>
  part.type === "media" && typeof part["mediaType"] === "string";

/** Bytes as base64; a text is that already, maybe as a `data:` address. */
export const base64Of = (data: Uint8Array | string): string =>
  typeof data === "string" ? data.replace(/^data:[^,]*,/, "") : base64OfBytes(data);

/** Whether it can be read as text. */
export const isTextMedia = (mediaType: string): boolean => /^(text\/|application\/json\b)/.test(mediaType);

/** The text in bytes of UTF-8. */
export const textIn = (data: Uint8Array | string): string =>
  textInBytes(typeof data === "string" ? bytesIn(base64Of(data)) : data);

/** What stands for media that can't go where they are. */
export function mediaMention({ mediaType, url, filename }: MediaPart): string {
  const address = url === undefined || String(url).startsWith("data:") ? undefined : String(url);
  return `[${[mediaType, filename, address].filter((word) => word !== undefined).join(" ")}]`;
}

/** The address in an image part of OpenAI's two interfaces; `undefined`: it is none. */
export function imageUrlOf(part: ContentPart): string | undefined {
  if (part.type !== "image_url" && part.type !== "input_image") return undefined;
  const url = fieldsOf(part["image_url"])["url"] ?? part["image_url"];
  return typeof url === "string" ? url : undefined;
}
