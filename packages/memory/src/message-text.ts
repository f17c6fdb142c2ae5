import type { ContentPart } from "./content-part.ts";
import type { Message, RichMessage } from "./message.ts";
import { isTextPart } from "./part-kinds.ts";

/** The text of a text part; `undefined` for reasoning, refusals, media and everything else. */
export const partText = (part: ContentPart): string | undefined =>
  isTextPart(part) && typeof part["text"] === "string" ? part["text"] : undefined;

/**
 * The text of a message: its content, or its text parts joined by line breaks; `""` if there is none. Reasoning
 * and refusals aren't included.
 */
export function messageText(message: Message | RichMessage): string {
  const content: RichMessage["content"] = message.content;
  if (typeof content === "string") return content;
  if (content === null) return "";
  return content
    .map(partText)
    .filter((text) => text !== undefined)
    .join("\n");
}
