import type { ContentPart, RichMessage } from "@jaf/memory";
import { partText } from "@jaf/memory/engine";
import type { Fields } from "@jaf/model-http";
import { imageUrlPart, isMedia, mediaPart } from "./media.ts";

/** What a user said. Empty texts are left out: a part must hold something. */
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
