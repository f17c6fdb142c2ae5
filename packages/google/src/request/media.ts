import type { ContentPart, MediaPart, RichMessage } from "@jaf/memory";
import { partText, utf8Of } from "@jaf/memory/internal";
import {
  base64Of,
  type Fields,
  imageUrlOf,
  isMedia,
  isTextMedia,
  mediaMention,
  textIn,
} from "@jaf/model-http";

/** The parts of a user's message. Empty texts are left out, since the service refuses them. */
export function userParts(content: RichMessage["content"]): readonly Fields[] {
  if (content === null || typeof content === "string") return content ? [{ text: content }] : [];
  return content.flatMap(userPart);
}

function userPart(part: ContentPart): readonly Fields[] {
  const text = partText(part);
  if (text !== undefined) return text === "" ? [] : [{ text }];
  if (isMedia(part)) return [mediaPart(part)];
  const image = imageUrlPart(part);
  return image === undefined ? [] : [image];
}

const DATA_URL = /^data:([^;,]*)(;[^,]*)?,/;

/** `undefined` for media without bytes, URL and file id. */
function dataOf({ mediaType, data, url, fileId }: MediaPart): Fields | undefined {
  const address = url === undefined ? undefined : String(url);
  const bytes = data ?? (address?.startsWith("data:") ? address : undefined);
  if (bytes !== undefined) return { inlineData: { mimeType: mediaType, data: inBase64(bytes) } };
  const fileUri = address ?? fileId;
  return fileUri === undefined ? undefined : { fileData: { mimeType: mediaType, fileUri } };
}

/** A data URL may be percent-encoded instead of base64. */
function inBase64(bytes: Uint8Array | string): string {
  const [head, , parameters] = typeof bytes === "string" ? (DATA_URL.exec(bytes) ?? []) : [];
  if (typeof bytes !== "string" || head === undefined || parameters?.includes("base64"))
    return base64Of(bytes);
  return base64Of(utf8Of(decodeURIComponent(bytes.slice(head.length))));
}

/** A user's media as bytes or URL. Text files are sent as text. Media without data become a mention. */
export function mediaPart(part: MediaPart): Fields {
  const { mediaType, data } = part;
  if (data !== undefined && isTextMedia(mediaType)) return { text: textIn(data) };
  return dataOf(part) ?? { text: mediaMention(part) };
}

/** The media of an image part of OpenAI; `undefined` for other parts. */
export function imageUrlPart(part: ContentPart): Fields | undefined {
  const url = imageUrlOf(part);
  if (url === undefined) return undefined;
  const mediaType = DATA_URL.exec(url)?.[1] || "image/*";
  return dataOf({ type: "media", mediaType, url });
}
