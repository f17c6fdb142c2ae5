import type { ModelCompletion, ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { contentOf, type Fields, fieldsOf, isObject, picked, textField } from "@jaf/model-http";
import { metadataOf, partOf } from "./parts.ts";
import { joinedTexts } from "./texts.ts";

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
  const { isCall, approvalOf } = callsIn(items);
  const asked = items.filter(isCall).flatMap((item) => approvalOf(item) ?? []);
  const parts = items
    .filter((item) => !asked.includes(item))
    .flatMap((item): readonly ContentPart[] | ContentPart => {
      if (isCall(item)) return { type: "tool-call", id: textField(item, "toolCallId") ?? "" };
      return partOf(item) ?? [];
    });
  const { id } = fieldsOf(fields["response"]);
  const further = { ...(typeof id === "string" && id !== "" ? { id } : {}), ...metadataOf(fields) };
  if (refusal === "cut") return { content: [cutRefusal(parts, fields)], ...further };
  const calls = items.filter(isCall).map((item) => callOf(item, approvalOf(item)));
  return {
    content: contentOf(joinedTexts(refusal === "text" ? parts.map(asRefusal) : parts, fields)),
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

/** The calls in a reply. */
interface ReplyCalls {
  /**
   * Checks whether an item is a call that JAF answers. The provider answers the other calls itself: it says so, or its
   * result is in the same reply. A call that the provider runs after an approval is JAF's: its result is the decision.
   */
  readonly isCall: (item: Fields) => boolean;
  /** Returns the provider's request for an approval of the call. */
  readonly approvalOf: (call: Fields) => Fields | undefined;
}

function callsIn(items: readonly Fields[]): ReplyCalls {
  const ofType = (type: string) =>
    new Map(items.filter((item) => item["type"] === type).map((item) => [item["toolCallId"], item]));
  const results = ofType("tool-result");
  const approvals = ofType("tool-approval-request");
  return {
    isCall: ({ type, toolCallId, providerExecuted }) =>
      type === "tool-call" &&
      !results.has(toolCallId) &&
      (providerExecuted !== true || approvals.has(toolCallId)),
    approvalOf: ({ toolCallId, providerExecuted }) =>
      providerExecuted === true ? approvals.get(toolCallId) : undefined,
  };
}

/**
 * Converts a tool call. Keeps the provider's metadata of the call, e.g. a thought signature. If the provider runs the call
 * after an `approval`, its id becomes the call's `approvalId`.
 */
export function callOf(item: Fields, approval?: Fields): ModelToolCall {
  const providerMetadata = {
    ...fieldsOf(item["providerMetadata"]),
    ...fieldsOf(approval?.["providerMetadata"]),
  };
  return {
    id: textField(item, "toolCallId") ?? "",
    type: "function",
    function: { name: textField(item, "toolName") ?? "", arguments: inputText(item["input"]) },
    ...(approval === undefined ? {} : { providerExecuted: true, ...picked(approval, ["approvalId"]) }),
    ...(item["dynamic"] === true ? { dynamic: true } : {}),
    ...metadataOf({ providerMetadata }),
  };
}

/**
 * Returns the input of a tool call as JSON text. Some providers send `""` for no input, and some custom models return an
 * object.
 */
function inputText(input: unknown): string {
  const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "");
  return text.trim() === "" ? "{}" : text;
}
