import type { ProviderMetadata, RichToolCall } from "@jaf/memory";
import { type Fields, fieldsOf } from "@jaf/model-http";
import { type CallContext, wireCall } from "../request/tools.ts";

/** An item of the input. */
export type InputItem = Fields;

/** The type of a part that holds an item whose own type means something else to JAF. */
export const OTHER_ITEM = "openai-item";

/**
 * What is stored with a part or a call, as `providerMetadata.openai`, so that the output item that it came from can be
 * written again as it was.
 */
export interface ItemMetadata {
  /** The item's fields that the part or the call doesn't hold itself. */
  readonly item: Fields;
  /** Of a part of a message's content, from 0: an item may have several. */
  readonly contentIndex?: number;
  /** Further fields of that part: annotations, log probabilities. */
  readonly content?: Fields;
  /** The id of the reasoning item directly before. */
  readonly reasoningId?: string;
}

export const withMetadata = (openai: ItemMetadata): { readonly providerMetadata: ProviderMetadata } => ({
  providerMetadata: { openai },
});

/** `undefined` for what didn't come from an output item. */
export function metadataOf(stored: Fields): ItemMetadata | undefined {
  const { openai } = fieldsOf(stored["providerMetadata"]);
  const { item, contentIndex, content, reasoningId } = fieldsOf(openai);
  if (item === undefined) return undefined;
  return {
    item: fieldsOf(item),
    content: fieldsOf(content),
    ...(typeof contentIndex === "number" ? { contentIndex } : {}),
    ...(typeof reasoningId === "string" ? { reasoningId } : {}),
  };
}

export interface ItemContext extends CallContext {
  /** Of each call that was sent, by its id on the wire, what it is: its output is one of the same kind. */
  readonly kinds: Map<string, "function" | "custom">;
}

/** The API's longest. */
export const MAX_ID_LENGTH = 64;

/** A call, without anything that only its own model understands. */
export function callItem(call: RichToolCall, isOwn: boolean, context: ItemContext): InputItem {
  const known = isOwn && call.id.length <= MAX_ID_LENGTH;
  const { kind, id, name, text } = wireCall(call, known, context);
  context.kinds.set(id, kind);
  return kind === "custom"
    ? { type: "custom_tool_call", call_id: id, name, input: text }
    : { type: "function_call", call_id: id, name, arguments: text };
}

/** What answers a call. */
export function outputItem(id: string, output: unknown, { ids, kinds }: ItemContext): InputItem {
  const call_id = ids.answered(id);
  return {
    type: `${kinds.get(call_id) === "custom" ? "custom_tool" : "function"}_call_output`,
    call_id,
    output,
  };
}
