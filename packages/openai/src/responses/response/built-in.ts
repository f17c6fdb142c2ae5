import type { ContentPart } from "@jaf/memory";
import type { Fields } from "@jaf/model-http";
import { type ItemMetadata, withMetadata } from "../item-metadata.ts";

type Before = Pick<ItemMetadata, "reasoningId">;

/**
 * The item of a tool that OpenAI runs itself, e.g. `web_search_call`: as a call and its result for whoever shows the
 * conversation, and whole in the metadata of the call. `undefined` for other items.
 */
export function builtInParts(item: Fields, before: Before): readonly ContentPart[] | undefined {
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
