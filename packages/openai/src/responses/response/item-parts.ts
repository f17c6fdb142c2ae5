import type { ContentPart } from "@jaf/memory";
import type { Fields } from "@jaf/model-http";
import { type ItemMetadata, withMetadata } from "../item-metadata.ts";
import { OTHER_ITEM } from "../other-item.ts";
import { builtInParts } from "./built-in.ts";
import { saidParts } from "./message-item.ts";
import { reasoningPart } from "./reasoning.ts";

/** The types of parts that mean something to JAF. */
const OWN_TYPES: ReadonlySet<unknown> = new Set([
  ...["text", "refusal", "media", "source", "tool-call", "provider-tool-call", "provider-tool-result"],
  OTHER_ITEM,
]);

/** An output item that is no call for JAF to run; in order, and with all its fields. */
export function partsOf(item: Fields, before: Pick<ItemMetadata, "reasoningId">): readonly ContentPart[] {
  const { type } = item;
  if (typeof type !== "string") return [];
  if (type === "reasoning") return [reasoningPart(item, before)];
  const known = type === "message" ? saidParts(item, before) : builtInParts(item, before);
  if (known !== undefined) return known;
  const kept = before.reasoningId === undefined ? {} : withMetadata({ item: {}, ...before });
  return [OWN_TYPES.has(type) ? { type: OTHER_ITEM, item, ...kept } : { ...item, type, ...kept }];
}
