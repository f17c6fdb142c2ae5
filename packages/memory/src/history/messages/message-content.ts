import type { ContentPart, Message, RichMessage } from "../../contract/message.ts";

/** Returns the text of a text part; `undefined` for reasoning, refusals, media and all other parts. */
export const partText = (part: ContentPart): string | undefined =>
  isTextPart(part) && typeof part["text"] === "string" ? part["text"] : undefined;

/**
 * Returns the text of a message: its content, or its text parts joined by line breaks; `""` if there is none. Excludes
 * reasoning and refusals.
 *
 * @example
 * ```ts
 * import { messageText } from "@jaf/memory/history";
 *
 * const text = messageText({
 *   role: "user",
 *   content: [
 *     { type: "text", text: "What does this picture show?" },
 *     { type: "media", mediaType: "image/png", url: "https://example.com/cat.png" },
 *   ],
 * });
 * console.log(text);
 * ```
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

/** OpenAI's Responses API has two types of its own. */
const TEXT_TYPES: ReadonlySet<string> = new Set(["text", "input_text", "output_text"]);

/** The types of JAF and the AI SDK, OpenAI and OpenRouter, and Anthropic. */
const REASONING_TYPES: ReadonlySet<string> = new Set(["reasoning", "thinking", "redacted_thinking"]);

/** Message fields in which providers and gateways store a model's reasoning. */
const REASONING_FIELDS: ReadonlySet<string> = new Set([
  ...["reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks"],
]);

/** The types of JAF and other frameworks for images, audio, video and files. */
const MEDIA_TYPE = /media|image|audio|video|file|document|screenshot/;

/** Whether the part is text: `text`, or `input_text` or `output_text` of OpenAI's Responses API. */
export const isTextPart = ({ type }: Pick<ContentPart, "type">): boolean => TEXT_TYPES.has(type);

/** Whether the part contains reasoning, readable or not. */
export const isReasoningPart = ({ type }: Pick<ContentPart, "type">): boolean => REASONING_TYPES.has(type);

/** Whether a message field with this name contains reasoning. */
export const isReasoningField = (name: string): boolean => REASONING_FIELDS.has(name);

/** Whether the part is an image, audio, video or file, in any framework. */
export const isMediaPart = ({ type }: Pick<ContentPart, "type">): boolean => MEDIA_TYPE.test(type);

type AnyMessage = Message | RichMessage;

/** Fields that label a message and are not content. */
const LABELS: ReadonlySet<string> = new Set([
  ...["role", "content", "tool_calls", "tool_call_id", "id", "name", "type", "status"],
  ...["origin", "providerMetadata"],
]);
const TEXT_LABELS: ReadonlySet<string> = new Set(["type", "text", "id", "name", "status"]);

/** Returns the call id of a tool-call part; `undefined` for other parts and for the AI SDK's own calls. */
export const toolCallIdOf = (part: ContentPart): string | undefined =>
  part.type === "tool-call" && typeof part["id"] === "string" && part["toolCallId"] === undefined
    ? part["id"]
    : undefined;

/** Whether it is a non-empty text, list or object. Numbers and booleans only describe a message. */
function holdsSomething(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  if (typeof value !== "object" || value === null || value instanceof Date) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Uint8Array) return value.length > 0;
  return value instanceof URL || Object.keys(value).length > 0;
}

function anyField(value: Readonly<Record<string, unknown>>, isNamed: (key: string) => boolean): boolean {
  for (const key in value) if (isNamed(key) && holdsSomething(value[key])) return true;
  return false;
}

/** An empty text counts if it has a signature or similar, which must be sent back. */
function partHolds(part: ContentPart): boolean {
  const text = partText(part);
  if (text === undefined) return toolCallIdOf(part) === undefined;
  return text.trim() !== "" || anyField(part, (key) => !TEXT_LABELS.has(key));
}

/** Whether a message contains anything besides its calls, in its content or any other field. */
export function hasContent(message: AnyMessage): boolean {
  const rich: RichMessage = message;
  const { content } = rich;
  if (typeof content === "string" ? content.trim() !== "" : content?.some(partHolds)) return true;
  return anyField(rich, (key) => !LABELS.has(key));
}

/** Whether it contains reasoning and nothing else, apart from its calls. */
export function isReasoningAlone(message: AnyMessage): boolean {
  const rich: RichMessage = message;
  const { content } = rich;
  const others = typeof content === "string" ? content.trim() !== "" : content?.some(isBesideReasoning);
  return (
    others !== true &&
    !anyField(rich, (key) => !LABELS.has(key) && !isReasoningField(key)) &&
    hasContent(message)
  );
}

const isBesideReasoning = (part: ContentPart): boolean => !isReasoningPart(part) && partHolds(part);

/**
 * Returns how many messages at the start of a prompt the next turn will repeat unchanged, e.g. for a model provider's
 * prompt cache. If the newest user message contains text marked `transient`, only the messages before it; otherwise
 * all.
 */
export function stableLength(messages: readonly RichMessage[]): number {
  // Only the newest user message: in other messages, `transient` text is stored and doesn't change.
  const newest = messages.findLastIndex(({ role }) => role === "user");
  const content = messages[newest]?.content;
  const isChanging = Array.isArray(content) && content.some((part) => part["transient"] === true);
  return isChanging ? newest : messages.length;
}
