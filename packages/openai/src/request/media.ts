import type { MediaPart } from "@jaf/memory";
import { base64Of } from "@jaf/model-http";

/** An address, or the bytes as one; `undefined` for what is known by its id alone. */
export function addressOf({ mediaType, data, url }: MediaPart): string | undefined {
  if (url !== undefined) return String(url);
  return data === undefined ? undefined : `data:${mediaType};base64,${base64Of(data)}`;
}

/** How closely the model is to look at an image. */
export function detailOf({ providerMetadata }: MediaPart): string | undefined {
  const openai: unknown = providerMetadata?.["openai"];
  const detail =
    typeof openai === "object" && openai !== null && "detail" in openai ? openai.detail : undefined;
  return typeof detail === "string" ? detail : undefined;
}
