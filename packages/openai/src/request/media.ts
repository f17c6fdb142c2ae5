import type { ContentPart, MediaPart, RichMessage } from "@jaf/memory";
import { partText } from "@jaf/memory/internal";
import { base64Of, type Fields, fieldsOf, isMedia, isTextMedia, mediaMention, textIn } from "@jaf/model-http";

/** A content part in the format of either API. */
export type WirePart = Fields & { readonly type: string };

export const textPart = (text: string): WirePart => ({ type: "text", text });

/** Returns a text if all parts are text. */
function textOrParts(
  parts: readonly (WirePart | undefined)[],
  textType: string,
): string | readonly WirePart[] {
  const sent = parts.filter((part) => part !== undefined);
  const texts = sent.map((part) => (part.type === textType ? part["text"] : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : sent;
}

/** The media's URL, or its bytes as a data URL; `undefined` if it has neither. */
function dataUrlOf({ mediaType, data, url }: MediaPart): string | undefined {
  if (url !== undefined) return String(url);
  return data === undefined ? undefined : `data:${mediaType};base64,${base64Of(data)}`;
}

/** The `detail` of an image. */
function detailOf({ providerMetadata }: MediaPart): string | undefined {
  const openai: unknown = providerMetadata?.["openai"];
  const detail =
    typeof openai === "object" && openai !== null && "detail" in openai ? openai.detail : undefined;
  return typeof detail === "string" ? detail : undefined;
}

/** The content of a user's message for Chat Completions. */
export function chatContent(content: RichMessage["content"]): string | readonly WirePart[] {
  if (content === null || typeof content === "string") return content ?? "";
  return textOrParts(content.map(chatPart), "text");
}

/** The media of a tool result, which Chat Completions doesn't accept in a result. */
export const chatMediaOf = (parts: readonly ContentPart[]): readonly WirePart[] =>
  parts
    .filter((part) => isMedia(part) || CHAT_PARTS.has(part.type))
    .map(chatPart)
    .filter((part) => part !== undefined);

/** Chat Completions' own types of parts in a user's message. */
const CHAT_PARTS: ReadonlySet<string> = new Set(["image_url", "input_audio", "file", "video_url"]);

/** `undefined` if a user's message can't hold the part. */
function chatPart(part: ContentPart): WirePart | undefined {
  const text = partText(part);
  if (text !== undefined) return textPart(text);
  if (isMedia(part)) return chatMediaPart(part);
  if (CHAT_PARTS.has(part.type)) {
    const { providerMetadata: _, ...sent } = part;
    return sent;
  }
  // A part of the Responses API.
  if (part.type === "input_image" && typeof part["image_url"] === "string")
    return { type: "image_url", image_url: { url: part["image_url"] } };
  return undefined;
}

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

/**
 * Media in a user's message: `image_url`, `input_audio` (bytes of WAV and MP3), `video_url`, or `file`. Text files are
 * sent as text. Other media become a mention.
 */
function chatMediaPart(part: MediaPart): WirePart {
  const { mediaType, data, fileId, filename } = part;
  if (fileId !== undefined) return { type: "file", file: { file_id: fileId } };
  const address = dataUrlOf(part);
  if (address === undefined) return textPart(mediaMention(part));
  if (mediaType.startsWith("image/")) return chatImage(part, address);
  if (mediaType.startsWith("video/")) return { type: "video_url", video_url: { url: address } };
  const format = AUDIO_FORMATS[mediaType];
  if (data === undefined) return textPart(mediaMention(part));
  if (format !== undefined) return { type: "input_audio", input_audio: { data: base64Of(data), format } };
  if (isTextMedia(mediaType)) return textPart(textIn(data));
  if (mediaType.startsWith("audio/")) return textPart(mediaMention(part));
  return { type: "file", file: { filename: filename ?? "file", file_data: address } };
}

function chatImage(part: MediaPart, url: string): WirePart {
  const detail = detailOf(part);
  return { type: "image_url", image_url: detail === undefined ? { url } : { url, detail } };
}

const inputText = (text: string): WirePart => ({ type: "input_text", text });

/** The content of a user's message, or the output of a call, for the Responses API. */
export function inputContent(content: RichMessage["content"]): string | readonly WirePart[] {
  if (content === null || typeof content === "string") return content ?? "";
  return textOrParts(content.map(inputPart), "input_text");
}

/** The Responses API's own types of parts in a user's message. */
const INPUT_PARTS: ReadonlySet<string> = new Set(["input_image", "input_file"]);

/** `undefined` if a user's message can't hold the part. */
function inputPart(part: ContentPart): WirePart | undefined {
  const text = partText(part);
  if (text !== undefined) return inputText(text);
  if (isMedia(part)) return inputMedia(part);
  if (INPUT_PARTS.has(part.type)) {
    const { providerMetadata: _, ...sent } = part;
    return { ...sent, type: part.type };
  }
  // A part of Chat Completions.
  if (part.type === "image_url") {
    const { url, detail } = fieldsOf(part["image_url"]);
    return typeof url === "string" ? inputImage({ image_url: url }, detail) : undefined;
  }
  return part.type === "file" ? { type: "input_file", ...fieldsOf(part["file"]) } : undefined;
}

/** Images and files by id, URL or bytes. Text files are sent as text. Other media become a mention. */
function inputMedia(part: MediaPart): WirePart {
  const { mediaType, data, fileId, filename, url } = part;
  const isImage = mediaType.startsWith("image/");
  const file = (fields: Fields): WirePart =>
    isImage ? inputImage(fields, detailOf(part)) : { type: "input_file", ...fields };
  if (fileId !== undefined) return file({ file_id: fileId });
  const address = dataUrlOf(part);
  if (address === undefined || /^(audio|video)\//.test(mediaType)) return inputText(mediaMention(part));
  if (isImage) return file({ image_url: address });
  if (data !== undefined && isTextMedia(mediaType)) return inputText(textIn(data));
  const isWeb = url !== undefined && !address.startsWith("data:");
  return file(isWeb ? { file_url: address } : { filename: filename ?? "file", file_data: address });
}

const inputImage = (fields: Fields, detail: unknown): WirePart => ({
  type: "input_image",
  ...fields,
  ...(typeof detail === "string" ? { detail } : {}),
});
