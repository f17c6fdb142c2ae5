import type { MediaPart, TextPart } from "@jaf/memory";
import { base64Of } from "@jaf/memory/internal";
import type { UserMessageItem } from "@openai/agents-core";

/** A part of a user's message in the SDK. */
export type InputPart = Exclude<UserMessageItem["content"], string>[number];

const DATA_URL = /^data:([^;,]+);base64,/;

/** A media part of a text that is a data URL, an address, or base64. `mediaType`: where the text doesn't say it. */
export function mediaOf(source: string, mediaType: string): MediaPart {
  const [prefix, named] = DATA_URL.exec(source) ?? [];
  if (prefix !== undefined && named !== undefined) {
    return { type: "media", mediaType: named, data: source.slice(prefix.length) };
  }
  return /^https?:/i.test(source)
    ? { type: "media", mediaType, url: source }
    : { type: "media", mediaType, data: source };
}

/** The standard part of an image, a file or audio of the SDK. `undefined` if the part has no content. */
export function mediaPartOf(part: Exclude<InputPart, { type: "input_text" }>): MediaPart | undefined {
  if (part.type === "input_image") return sourcePart(part.image, "image/*");
  if (part.type === "input_file") {
    const media = sourcePart(part.file, "application/octet-stream");
    return media === undefined || part.filename === undefined ? media : { ...media, filename: part.filename };
  }
  return sourcePart(part.audio, `audio/${part.format ?? "*"}`);
}

function sourcePart(
  source: string | { readonly id: string } | { readonly url: string } | undefined,
  mediaType: string,
): MediaPart | undefined {
  if (source === undefined) return undefined;
  if (typeof source === "string") return mediaOf(source, mediaType);
  return "id" in source
    ? { type: "media", mediaType, fileId: source.id }
    : { type: "media", mediaType, url: source.url };
}

/** The SDK's part of a standard media part. `undefined` if the media part has no content. */
export function inputPartOf({ mediaType, data, url, fileId, filename }: MediaPart): InputPart | undefined {
  const base64 = data === undefined || typeof data === "string" ? data : base64Of(data);
  if (mediaType.startsWith("audio/")) {
    const audio = base64 ?? (fileId === undefined ? undefined : { id: fileId });
    return audio === undefined
      ? undefined
      : { type: "audio", audio, format: mediaType.slice("audio/".length) };
  }
  const source = base64 === undefined ? url?.toString() : `data:${mediaType};base64,${base64}`;
  const given = source ?? (fileId === undefined ? undefined : { id: fileId });
  if (given === undefined) return undefined;
  if (mediaType.startsWith("image/")) return { type: "input_image", image: given };
  return { type: "input_file", file: given, ...(filename === undefined ? {} : { filename }) };
}

/** The standard parts of a user's message or of a tool's structured output. */
export const standardParts = (parts: readonly InputPart[]): (TextPart | MediaPart)[] =>
  parts.flatMap((part): (TextPart | MediaPart)[] => {
    const standard =
      part.type === "input_text" ? ({ type: "text", text: part.text } as const) : mediaPartOf(part);
    return standard === undefined ? [] : [standard];
  });
