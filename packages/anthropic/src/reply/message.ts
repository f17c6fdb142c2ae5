import type { ModelCompletion, ModelToolCall, ModelUsage } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { contentOf, type Fields, fieldsOf, textInputIn } from "@jaf/model-http";
import { isServerCall, partOf, textPartOf, type WireBlock, withoutNull } from "../parts.ts";
import type { MessagesRequest } from "../request/request.ts";

/** A reply as the service sent it, in one piece or put together. */
export interface WireReply {
  /** In the input of a streamed call there is the JSON text. */
  readonly content: readonly WireBlock[];
  readonly stopReason: string | undefined;
  readonly usage: ModelUsage | undefined;
  /** All of it but the content and the usage. */
  readonly fields: Fields;
}

type ReplyMessage = NonNullable<ModelCompletion["message"]>;

type Names = Pick<MessagesRequest, "names" | "textTools">;

/**
 * A reply as one message: a text where it holds one text and calls behind it, else parts, with the places of the calls between
 * them. What else Anthropic says of it is `providerMetadata.anthropic`.
 */
export function messageOf(reply: WireReply, request: Names): ReplyMessage {
  const { type: _, role: __, model: ___, stop_reason: ____, id, ...fields } = withoutNull(reply.fields);
  const further = {
    ...(typeof id === "string" ? { id } : {}),
    ...(Object.keys(fields).length === 0 ? {} : { providerMetadata: { anthropic: fields } }),
  };
  if (reply.stopReason === "refusal") return { content: [refusalOf(reply)], ...further };
  const calls = reply.content.filter(isCall).map((block) => callOf(block, request));
  return {
    content: contentOf(partsOf(reply.content)),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...further,
  };
}

const isCall = ({ type }: WireBlock): boolean => type === "tool_use";

function partsOf(blocks: readonly WireBlock[]): readonly ContentPart[] {
  const toolNames = new Map(blocks.filter(isServerCall).map(({ id, name }) => [id, String(name)]));
  const parts: ContentPart[] = [];
  let texts: WireBlock[] = [];
  const flush = (): void => {
    if (texts.length > 0) parts.push(textPartOf(texts));
    texts = [];
  };
  for (const block of blocks) {
    if (block.type === "text") {
      texts.push(block);
      continue;
    }
    flush();
    parts.push(isCall(block) ? { type: "tool-call", id: block["id"] } : partOf(block, toolNames));
  }
  flush();
  return parts;
}

function callOf(block: WireBlock, { names, textTools }: Names): ModelToolCall {
  const { type: _, id, name: wire, input, ...further } = block;
  const name = names.toOwn(String(wire ?? ""));
  const text = typeof input === "string" ? input : JSON.stringify(input ?? {});
  const given: Fields = { ...withoutNull(further), ...(typeof id === "string" ? { id } : {}) };
  return textTools.has(name)
    ? { ...given, type: "custom", custom: { name, input: textInputIn(text) } }
    : { ...given, type: "function", function: { name, arguments: text } };
}

const DECLINED = "The model declined to answer.";

/**
 * The service stops a reply that it refuses where it is, in the middle of a word or of a call: so that is neither said nor
 * called, and kept as what it was.
 */
function refusalOf({ content, fields }: WireReply): ContentPart {
  const { explanation } = fieldsOf(fields["stop_details"]);
  return {
    type: "refusal",
    refusal: typeof explanation === "string" && explanation.trim() !== "" ? explanation : DECLINED,
    ...(content.length === 0 ? {} : { providerMetadata: { anthropic: { content } } }),
  };
}
