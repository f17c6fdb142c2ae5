import type { ContentPart, MediaPart } from "@jaf/memory";
import { partText } from "@jaf/memory/engine";
import { type Fields, fieldsOf, isMedia, isTextMedia, mediaMention, textIn } from "@jaf/model-http";
import { addressOf, detailOf } from "../../request/media.ts";

/** A part as the input has it. */
export type InputPart = Fields & { readonly type: string };

export const inputText = (text: string): InputPart => ({ type: "input_text", text });

/** Parts that the API itself has in a user's message. */
const NATIVE: ReadonlySet<string> = new Set(["input_image", "input_file"]);

/** `undefined` for what no user's message can hold. */
function inputPart(part: ContentPart): InputPart | undefined {
  const text = partText(part);
  if (text !== undefined) return inputText(text);
  if (isMedia(part)) return inputMedia(part);
  if (NATIVE.has(part.type)) {
    const { providerMetadata: _, ...sent } = part;
    return { ...sent, type: part.type };
  }
  // Of Chat Completions.
  if (part.type === "image_url") {
    const { url, detail } = fieldsOf(part["image_url"]);
    return typeof url === "string" ? image({ image_url: url }, detail) : undefined;
  }
  return part.type === "file" ? { type: "input_file", ...fieldsOf(part["file"]) } : undefined;
}

/** Images and files: by id, by address, or as bytes. Text is text, and what is none of these is mentioned. */
function inputMedia(part: MediaPart): InputPart {
  const { mediaType, data, fileId, filename, url } = part;
  const isImage = mediaType.startsWith("image/");
  const file = (fields: Fields): InputPart =>
    isImage ? image(fields, detailOf(part)) : { type: "input_file", ...fields };
  if (fileId !== undefined) return file({ file_id: fileId });
  const address = addressOf(part);
  if (address === undefined || /^(audio|video)\//.test(mediaType)) return inputText(mediaMention(part));
  if (isImage) return file({ image_url: address });
  if (data !== undefined && isTextMedia(mediaType)) return inputText(textIn(data));
  const isWeb = url !== undefined && !address.startsWith("data:");
  return file(isWeb ? { file_url: address } : { filename: filename ?? "file", file_data: address });
}

const image = (fields: Fields, detail: unknown): InputPart => ({
  type: "input_image",
  ...fields,
  ...(typeof detail === "string" ? { detail } : {}),
});

/** A text where the parts hold nothing else. */
export function inputContent(content: string | readonly ContentPart[] | null): string | readonly InputPart[] {
  if (content === null || typeof content === "string") return content ?? "";
  const sent = content.map(inputPart).filter((part) => part !== undefined);
  const texts = sent.map((part) => (part.type === "input_text" ? part["text"] : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : sent;
}
