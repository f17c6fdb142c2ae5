import type { ContentPart, Message, RichMessage } from "@jaf/memory";
import { isReasoningField, isReasoningPart, isTextPart, messageText } from "@jaf/memory/engine";

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isPartList = (content: unknown): content is readonly ContentPart[] =>
  Array.isArray(content) && content.every((part) => isObject(part) && typeof part["type"] === "string");

/** What kind of content a reply has. If it has several, the first one here counts. */
export type ReplyKind = "text" | "refusal" | "generated" | "reasoning" | "nothing";

/** Fields other than the content with media that the model generated. */
const GENERATED_FIELDS = ["audio", "images", "parts"];

/** The kind of an assistant message without calls. */
export function replyKindOf(message: Message | RichMessage): ReplyKind {
  if (messageText(message).trim() !== "") return "text";
  if (refusalOf(message) !== undefined) return "refusal";
  const { content, ...fields }: RichMessage = message;
  const parts = Array.isArray(content) ? content : [];
  if (parts.some(isGenerated) || GENERATED_FIELDS.some((name) => isFilled(fields[name]))) return "generated";
  const hasThought =
    parts.some(isReasoningPart) ||
    Object.entries(fields).some(([name, field]) => isReasoningField(name) && isFilled(field));
  return hasThought ? "reasoning" : "nothing";
}

/** The words with which the model declines to answer, if it says nothing else. */
export function refusalOf(message: Message | RichMessage): string | undefined {
  const { content, refusal }: RichMessage = message;
  // The fast path for nearly all messages.
  if (refusal === undefined && !Array.isArray(content)) return undefined;
  if (messageText(message).trim() !== "") return undefined;
  const words = [refusal, ...refusalsIn(content)].filter(isSaid);
  return words.length === 0 ? undefined : [...new Set(words)].join("\n");
}

function refusalsIn(content: RichMessage["content"]): readonly unknown[] {
  if (typeof content === "string" || content === null) return [];
  return content.flatMap((part) => (part.type === "refusal" ? [part["refusal"]] : []));
}

const isSaid = (words: unknown): words is string => typeof words === "string" && words.trim() !== "";

const isGenerated = (part: ContentPart): boolean =>
  !isTextPart(part) && !isReasoningPart(part) && part.type !== "refusal" && part.type !== "tool-call";

function isFilled(value: unknown): boolean {
  if (typeof value === "string" || Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false;
}
