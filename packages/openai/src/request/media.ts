import type { MediaPart } from "@jaf/memory";
import { base64Of, isTextMedia, mediaMention, textIn } from "@jaf/model-http";
import { textPart, type WirePart } from "./wire.ts";

/** An address, or the bytes as one; `undefined` for what is known by its id alone. */
function addressOf({ mediaType, data, url }: MediaPart): string | undefined {
  if (url !== undefined) return String(url);
  return data === undefined ? undefined : `data:${mediaType};base64,${base64Of(data)}`;
}

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
export function mediaPart(part: MediaPart): WirePart {
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

function imagePart({ providerMetadata }: MediaPart, url: string): WirePart {
  const openai: unknown = providerMetadata?.["openai"];
  const detail =
    typeof openai === "object" && openai !== null && "detail" in openai ? openai.detail : undefined;
  return { type: "image_url", image_url: typeof detail === "string" ? { url, detail } : { url } };
}
