import type { MediaPart } from "@jaf/memory";
import { base64Of, isTextMedia, mediaMention, textIn } from "@jaf/model-http";
import { addressOf, detailOf } from "../../request/media.ts";
import { textPart, type WirePart } from "./wire.ts";

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

function imagePart(part: MediaPart, url: string): WirePart {
  const detail = detailOf(part);
  return { type: "image_url", image_url: detail === undefined ? { url } : { url, detail } };
}
