import type { ContentPart } from "@jaf/memory";
import { type Fields, isObject, listOf } from "@jaf/model-http";
import { type ItemMetadata, withMetadata } from "../item-metadata.ts";

/** The parts of a message item's content, one without text where it is empty; `undefined` where it is no such item. */
export function saidParts(
  item: Fields,
  before: Pick<ItemMetadata, "reasoningId">,
): readonly ContentPart[] | undefined {
  const { type: _, role: __, content, ...rest } = item;
  // Some compatible endpoints write a text.
  const given = typeof content === "string" ? [{ type: "output_text", text: content }] : listOf(content);
  const parts = given.filter(isPart);
  if (parts.length < given.length) return undefined;
  if (parts.length === 0) {
    const { type: _type, role: _role, ...empty } = item;
    return [{ type: "text", text: "", ...withMetadata({ item: empty, ...before }) }];
  }
  return parts.map((part, contentIndex) => saidPart(part, { item: rest, contentIndex, ...before }));
}

const isPart = (part: unknown): part is Fields & { readonly type: string } =>
  isObject(part) && typeof part["type"] === "string";

function saidPart(part: Fields & { readonly type: string }, metadata: ItemMetadata): ContentPart {
  const { type, text, refusal, ...further } = part;
  const kept = withMetadata(Object.keys(further).length === 0 ? metadata : { ...metadata, content: further });
  if (type === "output_text" && typeof text === "string") return { type: "text", text, ...kept };
  if (type === "refusal" && typeof refusal === "string") return { type, refusal, ...kept };
  return { ...part, ...withMetadata(metadata) };
}
