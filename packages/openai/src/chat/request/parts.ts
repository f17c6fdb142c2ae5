import type { ContentPart } from "@jaf/memory";
import { partText } from "@jaf/memory/engine";
import { isMedia } from "@jaf/model-http";
import { mediaPart } from "./media.ts";
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
