import type { ContentPart } from "./content-part.ts";
import type { Message, RichMessage } from "./message.ts";

/** OpenAI's Responses interface has two of its own. */
const TEXT_TYPES: ReadonlySet<string> = new Set(["text", "input_text", "output_text"]);

/** The text of a part that says something; `undefined` for reasoning, refusals, media and everything else. */
export const partText = (part: ContentPart): string | undefined =>
  TEXT_TYPES.has(part.type) && typeof part["text"] === "string" ? part["text"] : undefined;

/**
 * What was said in a message: its content, or its text parts joined by line breaks; `""` when it has none. Reasoning and
 * refusals aren't part of it.
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
