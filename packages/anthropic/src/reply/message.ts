import type { ModelCompletion, ModelToolCall, ModelUsage } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { contentOf, type Fields, fieldsOf, textInputIn } from "@jaf/model-http";
import { isServerCall, partOf, textPartOf, type WireBlock, withoutNull } from "../parts.ts";
import type { MessagesRequest } from "../request/request.ts";

/** A complete reply, in the service's format. */
export interface WireReply {
  /** The input of a streamed call is JSON text. */
  readonly content: readonly WireBlock[];
  readonly stopReason: string | undefined;
  readonly usage: ModelUsage | undefined;
  /** All other fields. */
  readonly fields: Fields;
}

type ReplyMessage = NonNullable<ModelCompletion["message"]>;

type Names = Pick<MessagesRequest, "names" | "textTools">;

/**
 * The message of a reply. Its content is a string if there is only one text, possibly followed by calls; else parts, with a
 * `tool-call` part at the place of each call. `providerMetadata.anthropic` holds the reply's other fields.
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
 * A refusal stops the reply anywhere, even inside a word or call. So its content is neither text nor calls, but kept in the
 * metadata.
 */
function refusalOf({ content, fields }: WireReply): ContentPart {
  const { explanation } = fieldsOf(fields["stop_details"]);
  return {
    type: "refusal",
    refusal: typeof explanation === "string" && explanation.trim() !== "" ? explanation : DECLINED,
    ...(content.length === 0 ? {} : { providerMetadata: { anthropic: { content } } }),
  };
}
