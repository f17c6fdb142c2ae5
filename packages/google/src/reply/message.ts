import type { ModelCompletion, ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { contentOf, type Fields, fieldsOf, isObject } from "@jaf/model-http";
import { asMetadata, isTextPart, isThought, textPartOf } from "../parts.ts";
import type { GenerateRequest } from "../request/request.ts";

/** A part from Gemini with its converted form. */
export interface ReceivedPart {
  readonly sent: Fields;
  readonly call?: ModelToolCall;
  /** Set if `sent` is neither text nor a call. */
  readonly part?: ContentPart;
}

/**
 * The message of a reply: parts in order, with a `tool-call` part at the place of each call. The content is a string if there
 * is only one text, possibly followed by calls. `beside`: the reply's additional fields.
 */
export function messageOf(
  received: readonly ReceivedPart[],
  beside: Fields,
): NonNullable<ModelCompletion["message"]> {
  const parts: ContentPart[] = [];
  const calls: ModelToolCall[] = [];
  let texts: Fields[] = [];
  const endTexts = (): void => {
    const part = textPartOf(texts);
    if (part !== undefined) parts.push(part);
    texts = [];
  };
  for (const { sent, call, part } of received) {
    const [first] = texts;
    if (isTextPart(sent)) {
      if (first !== undefined && isThought(first) !== isThought(sent)) endTexts();
      texts.push(sent);
      continue;
    }
    endTexts();
    if (call !== undefined) {
      calls.push(call);
      parts.push({ type: "tool-call", id: call.id ?? "" });
    } else if (part !== undefined) parts.push(part);
  }
  endTexts();
  return {
    content: contentOf(parts),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...asMetadata(beside),
  };
}

type Names = Pick<GenerateRequest, "names" | "textFunctions">;

export const isCall = (part: Fields): boolean => isObject(part["functionCall"]);

/** Older Gemini models send no ids. Then `id` is JAF's own, and isn't sent back. */
export function callOf(part: Fields, id: string, { names, textFunctions }: Names): ModelToolCall {
  const { functionCall, ...further } = part;
  const { id: given, name: wireName, args, ...beside } = fieldsOf(functionCall);
  const metadata = asMetadata({
    ...further,
    ...(Object.keys(beside).length === 0 ? {} : { functionCall: beside }),
    ...(typeof given === "string" && given !== "" ? {} : { withoutId: true }),
  });
  const name = typeof wireName === "string" ? names.toOwn(wireName) : "";
  const input = fieldsOf(args)["input"];
  if (textFunctions.has(name) && typeof input === "string")
    return { id, type: "custom", custom: { name, input }, ...metadata };
  return { id, type: "function", function: { name, arguments: JSON.stringify(args ?? {}) }, ...metadata };
}

/** Gemini's id of a call, or a new one. */
export function callId(part: Fields): string {
  const given = fieldsOf(part["functionCall"])["id"];
  return typeof given === "string" && given !== ""
    ? given
    : `call_${crypto.randomUUID().replaceAll("-", "")}`;
}
