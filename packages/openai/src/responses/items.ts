import type { ProviderMetadata, RichToolCall } from "@jaf/memory";
import { type Fields, fieldsOf } from "@jaf/model-http";
import { type CallContext, wireCall } from "../request/tools.ts";

/** An item of the input. */
export type InputItem = Fields;

/** The type of a part that holds an item with a type that has another meaning in JAF. */
export const OTHER_ITEM = "openai-item";

/**
 * The metadata of a part or call (`providerMetadata.openai`), from which its original output item can be rebuilt.
 */
export interface ItemMetadata {
  /** The item's fields that the part or call doesn't hold. */
  readonly item: Fields;
  /** The part's index in the content of a message item, from 0. */
  readonly contentIndex?: number;
  /** Additional fields of that content, e.g. annotations and log probabilities. */
  readonly content?: Fields;
  /** The id of the reasoning item directly before. */
  readonly reasoningId?: string;
}

export const withMetadata = (openai: ItemMetadata): { readonly providerMetadata: ProviderMetadata } => ({
  providerMetadata: { openai },
});

/** `undefined` if the part or call isn't from an output item. */
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
  /** The calls and programs in the request so far, by their ids there: outputs and callers refer to them. */
  readonly sent: Map<unknown, InputItem>;
}

/** The API's limit. */
export const MAX_ID_LENGTH = 64;

/** The type of an item that asks to approve a call of a remote MCP server's tool. */
export const APPROVAL_REQUEST = "mcp_approval_request";

/** The type of an item that calls a custom tool. */
export const CUSTOM_CALL = "custom_tool_call";

/** A call without opaque fields. */
export function callItem(call: RichToolCall, isOwn: boolean, context: CallContext): InputItem {
  const known = isOwn && call.id.length <= MAX_ID_LENGTH;
  const { kind, id, name, text } = wireCall(call, known, context);
  return kind === "custom"
    ? { type: CUSTOM_CALL, call_id: id, name, input: text }
    : { type: "function_call", call_id: id, name, arguments: text };
}
