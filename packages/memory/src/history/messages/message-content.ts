import type { ContentPart, Message, RichMessage } from "../../contract/message.ts";

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

/** OpenAI's Responses interface has two of its own. */
const TEXT_TYPES: ReadonlySet<string> = new Set(["text", "input_text", "output_text"]);

/** Ours and the AI SDK's, OpenAI's and OpenRouter's, Anthropic's. */
const REASONING_TYPES: ReadonlySet<string> = new Set(["reasoning", "thinking", "redacted_thinking"]);

/** The fields beside a message's content in which providers and gateways keep what a model thought. */
const REASONING_FIELDS: ReadonlySet<string> = new Set([
  ...["reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks"],
]);

/** Ours, and those of other frameworks for an image, a sound, a video or a file. */
const MEDIA_TYPE = /media|image|audio|video|file|document|screenshot/;

export const isTextPart = ({ type }: Pick<ContentPart, "type">): boolean => TEXT_TYPES.has(type);

/** Whether the part holds what a model thought, readable or not. */
export const isReasoningPart = ({ type }: Pick<ContentPart, "type">): boolean => REASONING_TYPES.has(type);

/** Whether a message's field of this name holds what a model thought. */
export const isReasoningField = (name: string): boolean => REASONING_FIELDS.has(name);

/** Whether the part is an image, a sound, a video or a file, as any framework has it. */
export const isMediaPart = ({ type }: Pick<ContentPart, "type">): boolean => MEDIA_TYPE.test(type);

type AnyMessage = Message | RichMessage;

/** Fields that say whose message it is or how it came about, and nothing beside it. */
const LABELS: ReadonlySet<string> = new Set([
  ...["role", "content", "tool_calls", "tool_call_id", "id", "name", "type", "status"],
  ...["origin", "providerMetadata"],
]);
const TEXT_LABELS: ReadonlySet<string> = new Set(["type", "text", "id", "name", "status"]);

/** The id of the call that the part stands for; `undefined` for any other part, also for the AI SDK's own calls. */
export const toolCallIdOf = (part: ContentPart): string | undefined =>
  part.type === "tool-call" && typeof part["id"] === "string" && part["toolCallId"] === undefined
    ? part["id"]
    : undefined;

/** A text, list or object that isn't empty. Numbers and booleans are about a message. */
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

/** An empty text counts if a signature or the like came with it, which has to go back. */
function partHolds(part: ContentPart): boolean {
  const text = partText(part);
  if (text === undefined) return toolCallIdOf(part) === undefined;
  return text.trim() !== "" || anyField(part, (key) => !TEXT_LABELS.has(key));
}

/** Whether anything was said, thought or attached in a message, its calls apart: in its content or in any other field. */
export function hasContent(message: AnyMessage): boolean {
  const rich: RichMessage = message;
  const { content } = rich;
  if (typeof content === "string" ? content.trim() !== "" : content?.some(partHolds)) return true;
  return anyField(rich, (key) => !LABELS.has(key));
}

/** Whether it holds what a model thought and nothing else, its calls apart. */
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
 * How many messages at the start of a prompt the next turn will repeat unchanged, e.g. for a model provider's prompt cache.
 * If the newest user message contains text marked `transient`, those before that message; otherwise all.
 */
export function stableLength(messages: readonly RichMessage[]): number {
  // Only in the newest user message: `transient` in any other message is stored with it, and doesn't change.
  const newest = messages.findLastIndex(({ role }) => role === "user");
  const content = messages[newest]?.content;
  const isChanging = Array.isArray(content) && content.some((part) => part["transient"] === true);
  return isChanging ? newest : messages.length;
}
