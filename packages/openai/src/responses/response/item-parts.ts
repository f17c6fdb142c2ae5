import type { ContentPart } from "@jaf/memory";
import { type Fields, isObject, listOf } from "@jaf/model-http";
import { type ItemMetadata, withMetadata } from "../item-metadata.ts";
import { OTHER_ITEM } from "../other-item.ts";
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

type Before = Pick<ItemMetadata, "reasoningId">;

/**
 * The item of a tool that OpenAI runs itself, e.g. `web_search_call`: as a call and its result for whoever shows the
 * conversation, and whole in the metadata of the call. `undefined` for other items.
 */
function builtInParts(item: Fields, before: Before): readonly ContentPart[] | undefined {
  const { type, id, call_id } = item;
  if (typeof type !== "string" || !type.endsWith("_call") || typeof id !== "string") return undefined;
  const image = imagePart(item, before);
  if (image !== undefined) return [image];
  const name = type.slice(0, -"_call".length);
  const input = picked(item, ["action", "queries", "code", "server_label", "name", "arguments", "operation"]);
  const call = { type: "provider-tool-call", id, name, input, ...withMetadata({ item, ...before }) };
  // What has an id of its call is answered by another item, if at all.
  if (typeof call_id === "string") return [call];
  const output = picked(item, ["status", "results", "outputs", "output", "error"]);
  return [call, { type: "provider-tool-result", id, name, output }];
}

/** An image that was made, which anybody may show. */
function imagePart(item: Fields, before: Before): ContentPart | undefined {
  const { result, ...rest } = item;
  if (item["type"] !== "image_generation_call" || typeof result !== "string" || result === "")
    return undefined;
  const format = rest["output_format"];
  const mediaType = `image/${typeof format === "string" ? format : "png"}`;
  return { type: "media", mediaType, data: result, ...withMetadata({ item: rest, ...before }) };
}

const picked = (item: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (item[name] == null ? [] : [[name, item[name]]])));

/** The parts of a message item's content, one without text where it is empty; `undefined` where it is no such item. */
function saidParts(
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
