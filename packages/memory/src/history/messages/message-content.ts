import type { ContentPart, Message, RichMessage } from "../../contract/message.ts";

/**
 * Returns the text of a text part. Returns `undefined` for reasoning, refusals, media and all other parts.
 *
 * @example
 * ```ts
 * import { partText } from "@jaf/memory/history";
 *
 * console.log(partText({ type: "text", text: "Hello" })); // "Hello"
 * console.log(partText({ type: "reasoning", text: "The user greets me." })); // undefined
 * ```
 */
export const partText = (part: ContentPart): string | undefined =>
  isTextPart(part) && typeof part["text"] === "string" ? part["text"] : undefined;

/**
 * Returns the text of a message. If the content is a text, returns the content. If the content consists of parts,
 * returns the text parts, joined by line breaks. Returns `""` if the message has no text. Reasoning and refusals aren't
 * part of the text.
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

/**
 * Whether the user wrote the message. Messages that a timer or background work sent have the role `user`, too, and the
 * field `from`.
 */
export function isUsersOwn(message: Message | RichMessage): boolean {
  const { role, from }: RichMessage = message;
  return role === "user" && from !== "timer" && from !== "work";
}

/** The types of text parts. `input_text` and `output_text` come from OpenAI's Responses API. */
const TEXT_TYPES: ReadonlySet<string> = new Set(["text", "input_text", "output_text"]);

/** The types of reasoning parts in messages of JAF, the AI SDK, OpenAI, OpenRouter and Anthropic. */
const REASONING_TYPES: ReadonlySet<string> = new Set(["reasoning", "thinking", "redacted_thinking"]);

/** The fields of a message in which model providers and gateways store a model's reasoning. */
const REASONING_FIELDS: ReadonlySet<string> = new Set([
  ...["reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks"],
]);

/** Matches the types of parts that JAF and other frameworks use for images, audio, video and files. */
const MEDIA_TYPE = /media|image|audio|video|file|document|screenshot/;

/**
 * Whether the part is text: of type `text`, or of type `input_text` or `output_text` from OpenAI's Responses API.
 *
 * @example
 * ```ts
 * import type { RichMessage } from "@jaf/memory";
 * import { isTextPart } from "@jaf/memory/history";
 *
 * declare const message: RichMessage;
 *
 * const parts = Array.isArray(message.content) ? message.content : [];
 * console.log(parts.filter(isTextPart).length);
 * ```
 */
export const isTextPart = ({ type }: Pick<ContentPart, "type">): boolean => TEXT_TYPES.has(type);

/**
 * Whether the part contains reasoning, as readable text or in encrypted form.
 *
 * @example
 * ```ts
 * import type { RichMessage } from "@jaf/memory";
 * import { isReasoningPart } from "@jaf/memory/history";
 *
 * declare const message: RichMessage;
 *
 * // The content without the model's reasoning, for a page that doesn't show it.
 * export const shown = Array.isArray(message.content)
 *   ? message.content.filter((part) => !isReasoningPart(part))
 *   : message.content;
 * ```
 */
export const isReasoningPart = ({ type }: Pick<ContentPart, "type">): boolean => REASONING_TYPES.has(type);

/**
 * Whether a message field with this name contains reasoning.
 *
 * @example
 * ```ts
 * import type { RichMessage } from "@jaf/memory";
 * import { isReasoningField } from "@jaf/memory/history";
 *
 * declare const message: RichMessage;
 *
 * // The message without the reasoning that gateways store in fields of their own.
 * export const shown = Object.fromEntries(Object.entries(message).filter(([name]) => !isReasoningField(name)));
 * ```
 */
export const isReasoningField = (name: string): boolean => REASONING_FIELDS.has(name);

/**
 * Whether the part is an image, audio, a video or a file, in the format of JAF or of another framework.
 *
 * @example
 * ```ts
 * import type { RichMessage } from "@jaf/memory";
 * import { isMediaPart } from "@jaf/memory/history";
 *
 * declare const message: RichMessage;
 *
 * const parts = Array.isArray(message.content) ? message.content : [];
 * if (parts.some(isMediaPart)) console.log("The message has an image, audio, a video or a file.");
 * ```
 */
export const isMediaPart = ({ type }: Pick<ContentPart, "type">): boolean => MEDIA_TYPE.test(type);

type AnyMessage = Message | RichMessage;

/** The fields of a message that describe the message and are not content. */
const LABELS: ReadonlySet<string> = new Set([
  ...["role", "content", "tool_calls", "tool_call_id", "id", "name", "type", "status"],
  ...["origin", "providerMetadata"],
]);
const TEXT_LABELS: ReadonlySet<string> = new Set(["type", "text", "id", "name", "status"]);

/** Returns the call id of a tool-call part, or `undefined` for any other part. */
export const toolCallIdOf = (part: ContentPart): string | undefined =>
  // The AI SDK stores a whole call in a part of this type. Such a part counts as another part.
  part.type === "tool-call" && typeof part["id"] === "string" && part["toolCallId"] === undefined
    ? part["id"]
    : undefined;

/** Whether a part asks for an approval of a call, or answers: of the AI SDK, or of OpenAI for remote MCP servers. */
const isApproval = (type: string, kind: "request" | "response"): boolean =>
  type === `tool-approval-${kind}` || type === `mcp_approval_${kind}`;

const partsOf = ({ content }: Pick<RichMessage, "content">): readonly ContentPart[] =>
  Array.isArray(content) ? content : [];

/**
 * Whether a message contains only answers to requests for an approval, in another framework's format. It is no tool
 * result, even if it has a `tool_call_id`: the call hasn't run yet.
 */
export function isApprovalAnswer(message: Pick<RichMessage, "content">): boolean {
  const parts = partsOf(message);
  return parts.length > 0 && parts.every(({ type }) => isApproval(type, "response"));
}

/** Returns the ids of the approvals that a message asks for (`"request"`), or of those that it answers. */
export const approvalIds = (
  message: Pick<RichMessage, "content">,
  kind: "request" | "response",
): readonly unknown[] =>
  partsOf(message)
    .filter(({ type }) => isApproval(type, kind))
    .map((part: ContentPart) => part["approvalId"] ?? part["approval_request_id"] ?? part["id"]);

/** Whether a value is a non-empty text, list or object. */
function holdsSomething(value: unknown): boolean {
  // Numbers and booleans only describe a message, so they don't count.
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

/** Whether a part contains content; a part that only marks the place of a call doesn't. */
function partHolds(part: ContentPart): boolean {
  // An empty text counts if the part has a signature or a similar field, which must be sent back to the model provider.
  const text = partText(part);
  if (text === undefined) return toolCallIdOf(part) === undefined;
  return text.trim() !== "" || anyField(part, (key) => !TEXT_LABELS.has(key));
}

/** Whether a message contains anything besides its tool calls, in its content or in any other field. */
export function hasContent(message: AnyMessage): boolean {
  const rich: RichMessage = message;
  const { content } = rich;
  if (typeof content === "string" ? content.trim() !== "" : content?.some(partHolds)) return true;
  return anyField(rich, (key) => !LABELS.has(key));
}

/** Whether a message contains reasoning, and nothing else except tool calls. */
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
 * Returns how many messages at the start of a prompt the next turn will repeat unchanged. A model provider's prompt
 * cache is only useful for these messages. If the newest user message contains `transient` text, they end before this
 * message.
 */
export function stableLength(messages: readonly RichMessage[]): number {
  // Only the newest user message can change: in other messages, `transient` text is stored and stays the same.
  const newest = messages.findLastIndex(({ role }) => role === "user");
  const content = messages[newest]?.content;
  const isChanging = Array.isArray(content) && content.some((part) => part["transient"] === true);
  return isChanging ? newest : messages.length;
}
