import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { partText } from "@jaf/memory/internal";
import {
  type Fields,
  type ForeignReasoning,
  fieldsOf,
  isMedia,
  isObject,
  isSameOrigin,
  isSource,
  mediaMention,
  otherModelText,
} from "@jaf/model-http";
import { type CallContext, wireCall } from "../request/tools.ts";

/** A message in the API's format, with any additional fields. */
export type WireMessage = Fields & { readonly role: "system" | "user" | "assistant" | "tool" };

export interface AssistantContext extends CallContext {
  /** The origin of the model that the request goes to. */
  readonly origin: ModelOrigin;
  readonly foreignReasoning: ForeignReasoning;
  readonly omitFields: readonly string[];
}

/** `undefined` if the message has nothing to send. */
export function assistantMessage(message: RichMessage, context: AssistantContext): WireMessage | undefined {
  const sent = isSameOrigin(message.origin, context.origin)
    ? ownMessage(message, context)
    : foreignMessage(message, context);
  const placeholder = context.rules.foreignReasoning;
  if (sent === undefined || placeholder === undefined || isFilled(sent["reasoning_content"])) return sent;
  return { ...sent, reasoning_content: placeholder };
}

/** JAF's own fields, and those that are written separately. */
const JAF_FIELDS = ["content", "tool_calls", "origin", "providerMetadata"] as const;

/** A message of this model, unchanged. */
function ownMessage(message: RichMessage, context: AssistantContext): WireMessage | undefined {
  const further: Record<string, unknown> = { ...message };
  for (const field of [...JAF_FIELDS, ...context.omitFields]) delete further[field];
  // Audio is sent back by its id, without the bytes.
  if (isObject(further["audio"])) further["audio"] = { id: further["audio"]["id"] };
  const calls = (message.tool_calls ?? []).map((call) => ownCall(call, context));
  const content = ownContent(message.content);
  const isEmpty = content.length === 0;
  const isNull = calls.length > 0 || (message.content === null && isFilled(further["refusal"]));
  if (isEmpty && calls.length === 0 && !hasSubstance(further)) return undefined;
  return {
    ...further,
    role: "assistant",
    content: isEmpty ? (isNull ? null : "") : content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Fields that aren't enough to send a message: some endpoints refuse a message with only readable reasoning. */
const READABLE: ReadonlySet<string> = new Set(["role", "id", "name", "reasoning", "reasoning_content"]);

const hasSubstance = (fields: Fields): boolean =>
  Object.entries(fields).some(([field, value]) => !READABLE.has(field) && isFilled(value));

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);

function ownContent(content: RichMessage["content"]): string | readonly ContentPart[] {
  if (content === null || typeof content === "string") return content ?? "";
  const sent = content.filter((part) => !isSource(part));
  const [only] = sent;
  // The endpoint sent a text: the sources behind it made it a part.
  if (sent.length < content.length && sent.length === 1 && only?.providerMetadata === undefined) {
    const text = partText(only ?? { type: "" });
    if (text !== undefined) return text;
  }
  return sent.flatMap((part): readonly ContentPart[] => {
    if (part.type === "tool-call") return [];
    if (isMedia(part)) return [{ type: "text", text: mediaMention(part) }];
    const { providerMetadata, ...sent } = part;
    const parts: unknown = fieldsOf(fieldsOf(providerMetadata)["openai"])["parts"];
    return Array.isArray(parts) ? parts : [{ ...sent, type: part.type }];
  });
}

/** The text and calls of another model's message, without its opaque fields. */
function foreignMessage(message: RichMessage, context: AssistantContext): WireMessage | undefined {
  const calls = (message.tool_calls ?? []).map((call) => foreignCall(call, context));
  const said = otherModelText(message, context.foreignReasoning);
  if (said === "" && calls.length === 0) return undefined;
  const signed = withSignature(calls, context.rules.foreignSignature);
  return {
    role: "assistant",
    content: said === "" ? null : said,
    ...(calls.length === 0 ? {} : { tool_calls: signed }),
  };
}

/** The call as the endpoint wrote it, with the name and id that the API accepts. */
function ownCall(call: RichToolCall, context: CallContext): Fields {
  const { providerMetadata, ...sent } = call;
  const { kind, id, name, text } = wireCall(call, true, context);
  if (kind === "custom") return { ...sent, id, custom: { ...fieldsOf(call["custom"]), name } };
  const { custom: __, ...rest } = sent;
  return {
    ...rest,
    id,
    // The engine keeps a type of the endpoint's own here, e.g. Kimi's `builtin_function`.
    type: fieldsOf(fieldsOf(providerMetadata)["jaf"])["type"] || "function",
    function: { ...fieldsOf(rest["function"]), name, arguments: text },
  };
}

/** Another model's call, without its opaque fields. */
function foreignCall(call: RichToolCall, context: CallContext): Fields {
  const { kind, id, name, text } = wireCall(call, false, context);
  return kind === "custom"
    ? { id, type: "custom", custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } };
}

/** Adds the signature to the first call of a step; it covers all of them. */
function withSignature(calls: readonly Fields[], signature: string | undefined): readonly Fields[] {
  const [first, ...others] = calls;
  if (signature === undefined || first === undefined || calls.some(hasSignature)) return calls;
  return [{ ...first, extra_content: { google: { thought_signature: signature } } }, ...others];
}

const hasSignature = (call: Fields): boolean =>
  fieldsOf(fieldsOf(call["extra_content"])["google"])["thought_signature"] !== undefined;
