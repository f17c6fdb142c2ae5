import type { ContentPart, MediaPart } from "@jaf/memory";
import { partText } from "@jaf/memory/engine";
import { base64Of, isMedia, isTextMedia, mediaMention, textIn } from "@jaf/model-http";
import { addressOf, detailOf } from "../../request/media.ts";
import { textPart, type WirePart } from "./wire.ts";

/** Parts that Chat Completions itself has in a user's message. */
const NATIVE: ReadonlySet<string> = new Set(["image_url", "input_audio", "file", "video_url"]);

/** `undefined` for what no user's message can hold. */
function userPart(part: ContentPart): WirePart | undefined {
  const text = partText(part);
  if (text !== undefined) return textPart(text);
  if (isMedia(part)) return mediaPart(part);
  if (NATIVE.has(part.type)) {
    const { providerMetadata: _, ...sent } = part;
    return sent;
  }
  // Of OpenAI's Responses.
  if (part.type === "input_image" && typeof part["image_url"] === "string")
    return { type: "image_url", image_url: { url: part["image_url"] } };
  return undefined;
}

/** A text where the parts hold nothing else. */
export function userContent(parts: readonly ContentPart[]): string | readonly WirePart[] {
  const sent = parts.map(userPart).filter((part) => part !== undefined);
  const texts = sent.map((part) => (part.type === "text" ? part["text"] : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : sent;
}

/** Those of a tool's result that a result can't hold. */
export const mediaOf = (parts: readonly ContentPart[]): readonly WirePart[] =>
  parts
    .filter((part) => isMedia(part) || NATIVE.has(part.type))
    .map(userPart)
    .filter((part) => part !== undefined);

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

/**
 * Media in a user's message: `image_url`, `input_audio` (bytes of WAV and MP3), `video_url`, or `file`. Text is text.
 * What fits none of these is mentioned.
 */
function mediaPart(part: MediaPart): WirePart {
  const { mediaType, data, fileId, filename } = part;
  if (fileId !== undefined) return { type: "file", file: { file_id: fileId } };
  const address = addressOf(part);
  if (address === undefined) return textPart(mediaMention(part));
  if (mediaType.startsWith("image/")) return imagePart(part, address);
  if (mediaType.startsWith("video/")) return { type: "video_url", video_url: { url: address } };
  const format = AUDIO_FORMATS[mediaType];
  if (data === undefined) return textPart(mediaMention(part));
  if (format !== undefined) return { type: "input_audio", input_audio: { data: base64Of(data), format } };
  if (isTextMedia(mediaType)) return textPart(textIn(data));
  if (mediaType.startsWith("audio/")) return textPart(mediaMention(part));
  return { type: "file", file: { filename: filename ?? "file", file_data: address } };
}

function imagePart(part: MediaPart, url: string): WirePart {
  const detail = detailOf(part);
  return { type: "image_url", image_url: detail === undefined ? { url } : { url, detail } };
}
