import type { ModelCompletion, ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { contentOf, type Fields, fieldsOf, isObject, textField } from "@jaf/model-http";
import { metadataOf, partOf } from "./parts.ts";
import { withRanges } from "./sources.ts";

type ReplyMessage = NonNullable<ModelCompletion["message"]>;

/** A whole reply. */
export interface WholeReply {
  /** The reply's content, in the format of `doGenerate`. */
  readonly content: readonly unknown[];
  /** The reply's other fields. */
  readonly fields: Fields;
  /** Whether the reply is a refusal: `"text"` if its texts say so, `"cut"` if the model was stopped anywhere. */
  readonly refusal: "text" | "cut" | undefined;
}

/**
 * Converts a reply into a message. The content is a string if the reply is one text, possibly followed by calls. Otherwise,
 * the content is a list of parts in order, with a `tool-call` part at the place of each call.
 */
export function messageOf({ content, fields, refusal }: WholeReply): ReplyMessage {
  const items = content.filter(isObject);
  const isCall = callsIn(items);
  const parts = items.flatMap((item) => {
    if (isCall(item)) return [{ type: "tool-call", id: textField(item, "toolCallId") ?? "" }];
    return partOf(item) ?? [];
  });
  const { id } = fieldsOf(fields["response"]);
  const further = { ...(typeof id === "string" && id !== "" ? { id } : {}), ...metadataOf(fields) };
  if (refusal === "cut") return { content: [cutRefusal(parts, fields)], ...further };
  const calls = items.filter(isCall).map(callOf);
  return {
    content: contentOf(withRanges(refusal === "text" ? parts.map(asRefusal) : parts, fields)),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...further,
  };
}

const asRefusal = (part: ContentPart): ContentPart => {
  const { type, text: refusal, ...further } = part;
  return type === "text" ? { type: "refusal", refusal, ...further } : part;
};

const DECLINED = "The model declined to answer.";

/** A refusal stops the reply anywhere, even inside a word or call. So what was said before isn't the reply's content. */
function cutRefusal(parts: readonly ContentPart[], { providerMetadata }: Fields): ContentPart {
  const words = Object.values(fieldsOf(providerMetadata))
    .map((metadata) => textField(fieldsOf(fieldsOf(metadata)["stopDetails"]), "explanation")?.trim() ?? "")
    .find((explanation) => explanation !== "");
  return {
    type: "refusal",
    refusal: words ?? DECLINED,
    ...(parts.length === 0 ? {} : { providerMetadata: { jaf: { content: parts } } }),
  };
}

/**
 * Returns a function that checks whether an item is a call that JAF answers. The provider answers the other calls itself:
 * it says so, or its result is in the same reply. A call that the provider runs after an approval is JAF's: its result is
 * the decision.
 */
export function callsIn(items: readonly Fields[]): (item: Fields) => boolean {
  const idsOf = (type: string) =>
    new Set(items.filter((item) => item["type"] === type).map(({ toolCallId }) => toolCallId));
  const answered = idsOf("tool-result");
  const asked = idsOf("tool-approval-request");
  return ({ type, toolCallId, providerExecuted }) =>
    type === "tool-call" && !answered.has(toolCallId) && (providerExecuted !== true || asked.has(toolCallId));
}

/** Converts a tool call. Keeps the provider's metadata of the call, e.g. a thought signature. */
export const callOf = (item: Fields): ModelToolCall => ({
  id: textField(item, "toolCallId") ?? "",
  type: "function",
  function: { name: textField(item, "toolName") ?? "", arguments: inputText(item["input"]) },
  ...(item["providerExecuted"] === true ? { providerExecuted: true } : {}),
  ...(item["dynamic"] === true ? { dynamic: true } : {}),
  ...metadataOf(item),
});

/**
 * Returns the input of a tool call as JSON text. Some providers send `""` for no input, and some custom models return an
 * object.
 */
function inputText(input: unknown): string {
  const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "");
  return text.trim() === "" ? "{}" : text;
}
