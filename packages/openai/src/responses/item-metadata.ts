import type { ProviderMetadata } from "@jaf/memory";
import { type Fields, fieldsOf } from "@jaf/model-http";

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
