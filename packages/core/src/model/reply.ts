import type { ContentPart, Message, ModelOrigin, RichMessage } from "@jaf/memory";
import { isReasoningField, isReasoningPart, isTextPart, messageText, present } from "@jaf/memory/internal";
import { frozenCopy } from "../immutable/copy.ts";
import { storableMessage } from "../immutable/messages.ts";
import type { ModelCompletion } from "./completion.ts";
import { isObject, parseCalls } from "./reply-tool-calls.ts";

export type ParsedReply =
  | { readonly ok: true; readonly message: Message }
  | {
      readonly ok: false;
      /** Why the reply is unusable, without quoting the reply. */
      readonly detail: string;
      /** Whether the model might give a usable reply if the call is retried. */
      readonly retryable: boolean;
    };

const unusable = (detail: string, retryable = true): ParsedReply => ({ ok: false, detail, retryable });

/**
 * Returns the assistant message of a model's reply, frozen. If the reply is unusable, returns why.
 *
 * - A message with only a text and plain calls (id, function name, arguments) becomes `{ role, content, tool_calls? }`.
 *   Any other fields of such a message are `null` or empty lists and are dropped.
 * - Other messages keep all their fields.
 * - `origin` is added if the model provider names it. Content that is `null` or absent becomes `""`, except in a refusal.
 *
 * | the reply has | result |
 * | --- | --- |
 * | tool calls | the calls run, whatever else the reply has; calls that the model provider has run itself are content parts and stay in place |
 * | text | the output |
 * | a refusal, as a field or as parts, and no text | the output; `ModelRefused` if the agent has an `outputCodec` |
 * | no text, and a call of the model provider's own tool without a result | unusable; not retried |
 * | media, results of the model provider's own tools, or parts that JAF doesn't know, and no text | the output `""` |
 * | none of these, or only such results, and the model stopped because of the reply's length or a content filter | unusable; not retried |
 * | only reasoning | unusable; not retried |
 * | nothing, or only white space or sources | unusable |
 * | a value that a store can't hold, or arguments that can't be written as JSON | unusable; not retried |
 * | content that is neither text nor parts, calls that can't be understood | unusable |
 *
 * Malformed calls are repaired if their meaning is clear; see `parseCalls`. Content parts that mark the place of a call
 * get the call's new id.
 */
export function parseReply(completion: ModelCompletion | null | undefined): ParsedReply {
  const sent: unknown = completion?.message;
  const fields = isObject(sent) ? sent : {};
  const content: unknown = fields["content"] ?? "";
  const given: unknown = fields["tool_calls"] ?? [];
  if (typeof content !== "string" && !isPartList(content)) return unusable("its content is not text");
  if (!Array.isArray(given)) return unusable("its tool calls are not a list");
  const parsed = parseCalls(given);
  if (parsed.kind === "unusable") return unusable(parsed.detail, parsed.retryable);
  const origin = originOf(completion?.origin ?? fields["origin"]);
  const { calls } = parsed;
  const isBare = typeof content === "string" && parsed.kind === "plain" && !hasMore(fields);
  const { role: _, tool_calls: __, tool_call_id: ___, origin: ____, ...rest } = isBare ? {} : fields;
  const message = {
    role: "assistant",
    ...rest,
    content: typeof content === "string" ? contentOrNull(content, fields) : parsed.placed(content),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...present({ origin }),
  };
  // Any store can hold text and plain calls.
  if (isBare) return usableReply(frozenCopy(message) as Message, completion);
  const storable = storableMessage(message);
  return storable.ok
    ? usableReply(storable.message, completion)
    : unusable(`it can't be stored: ${storable.problem}`, false);
}

/** Returns `null` for the content of a refusal that was sent with `null`. */
const contentOrNull = (content: string, { content: sent, refusal }: Fields): string | null =>
  sent === null && isSaid(refusal) ? null : content;

function usableReply(message: Message, completion: ModelCompletion | null | undefined): ParsedReply {
  if (message.tool_calls !== undefined) return { ok: true, message };
  const substance = replyKindOf(message);
  switch (substance) {
    case "text":
    case "refusal":
      return { ok: true, message };
    case "generated": {
      const open = openProviderCall(message);
      if (open !== undefined)
        return nothingSaid(
          completion,
          `its call of the model provider's tool "${open}" has no result`,
          false,
        );
      const stop = earlyStopOf(completion);
      return stop !== undefined && isOfTools(message) ? stop : { ok: true, message };
    }
    case "reasoning":
      return nothingSaid(completion, "it holds reasoning and no answer", false);
    case "nothing":
      return nothingSaid(completion, "the reply is empty");
  }
}

/**
 * Returns the name of a tool of the model provider that the reply calls without a result; `undefined` if it has no such
 * call. A reply like this waits for the result.
 */
function openProviderCall({ content }: RichMessage): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const parts: readonly ContentPart[] = content;
  const answered = new Set(parts.map(({ type, id }) => (type === "provider-tool-result" ? id : undefined)));
  const open = parts.find(({ type, id }) => type === "provider-tool-call" && !answered.has(id));
  return open === undefined ? undefined : String(open["name"]);
}

/** Whether a reply has nothing but calls of the model provider's tools and what they returned, besides reasoning. */
function isOfTools({ content, ...fields }: RichMessage): boolean {
  if (!Array.isArray(content) || GENERATED_FIELDS.some((name) => isFilled(fields[name]))) return false;
  const parts: readonly ContentPart[] = content;
  return parts.every(
    (part) => /^(provider-tool-(call|result)|source)$/.test(part.type) || isReasoningPart(part),
  );
}

/** The values of `finish_reason`, in lower case, with which model providers say that the model stopped early. */
const STOPS: ReadonlySet<string> = new Set([
  ...["length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"],
  ...[
    "content_filter",
    "content-filter",
    "safety",
    "sensitive",
    "refusal",
    "recitation",
    "prohibited_content",
  ],
]);

function nothingSaid(
  completion: ModelCompletion | null | undefined,
  detail: string,
  retryable = true,
): ParsedReply {
  return earlyStopOf(completion) ?? unusable(detail, retryable);
}

/** Returns the reply as unusable if the model stopped early; otherwise `undefined`. */
function earlyStopOf(completion: ModelCompletion | null | undefined): ParsedReply | undefined {
  const reason: unknown = completion?.finish_reason;
  // Gemini's compatible endpoint appends why: `content_filter: PROHIBITED_CONTENT`.
  const [stop = ""] = typeof reason === "string" ? reason.toLowerCase().split(":") : [];
  return STOPS.has(stop) ? unusable(`the model stopped before it answered: ${stop}`, false) : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const OWN_FIELDS: ReadonlySet<string> = new Set(["role", "content", "tool_calls", "tool_call_id", "origin"]);

function hasMore(message: Fields): boolean {
  for (const key in message) {
    if (OWN_FIELDS.has(key)) continue;
    const value = message[key];
    if (value != null && !(Array.isArray(value) && value.length === 0)) return true;
  }
  return false;
}

/** Returns the origin of a reply; `undefined` if it lacks a provider, an interface (`api`) or a model. */
function originOf(origin: unknown): ModelOrigin | undefined {
  if (!isObject(origin)) return undefined;
  const { provider, api, model } = origin;
  if (typeof provider !== "string" || typeof api !== "string" || typeof model !== "string") return undefined;
  return { provider, api, model };
}

const isPartList = (content: unknown): content is readonly ContentPart[] =>
  Array.isArray(content) && content.every((part) => isObject(part) && typeof part["type"] === "string");

/**
 * The kind of a reply. If several fit, the first one in this list counts. `"generated"`: media, or parts that JAF
 * doesn't know.
 */
type ReplyKind = "text" | "refusal" | "generated" | "reasoning" | "nothing";

/** The message fields besides `content` that can have generated media. */
const GENERATED_FIELDS = ["audio", "images", "parts"];

/** Returns what kind of reply an assistant message without tool calls is. */
function replyKindOf(message: Message | RichMessage): ReplyKind {
  if (messageText(message).trim() !== "") return "text";
  if (refusalOf(message) !== undefined) return "refusal";
  const { content, ...fields }: RichMessage = message;
  const parts = Array.isArray(content) ? content : [];
  if (parts.some(isGenerated) || GENERATED_FIELDS.some((name) => isFilled(fields[name]))) return "generated";
  const hasThought =
    parts.some(isThought) ||
    Object.entries(fields).some(([name, field]) => isReasoningField(name) && isFilled(field));
  return hasThought ? "reasoning" : "nothing";
}

/** Returns the text of a refusal, if the message has no other text; otherwise `undefined`. */
export function refusalOf(message: Message | RichMessage): string | undefined {
  const { content, refusal }: RichMessage = message;
  // A fast way out for nearly all messages.
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
  !isTextPart(part) && !isThought(part) && !["refusal", "tool-call", "source"].includes(part.type);

/** Whether a part is reasoning, e.g. the draft of an image. */
const isThought = (part: ContentPart): boolean => isReasoningPart(part) || part.type === "reasoning-file";

function isFilled(value: unknown): boolean {
  if (typeof value === "string" || Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false;
}
