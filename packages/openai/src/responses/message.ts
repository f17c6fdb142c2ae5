import type { ModelCompletion, ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { type Fields, isObject, listOf, textInputIn } from "@jaf/model-http";
import type { OpenAIRequest } from "../request/request.ts";
import { type ItemMetadata, OTHER_ITEM, withMetadata } from "./items.ts";
import { reasoningPart } from "./reasoning.ts";

export type CallNames = Pick<OpenAIRequest, "names" | "textFunctions">;

type Before = Pick<ItemMetadata, "reasoningId">;

/** One message from a response's output items: its parts in order, with a `tool-call` part at the place of each call. */
export function messageOf(
  output: readonly unknown[],
  id: unknown,
  names: CallNames,
): NonNullable<ModelCompletion["message"]> {
  const parts: ContentPart[] = [];
  const calls: ModelToolCall[] = [];
  let before: Before = {};
  for (const item of output) {
    if (!isObject(item)) continue;
    if (isCall(item)) {
      const call = callOf(item, names, before);
      calls.push(call);
      parts.push({ type: "tool-call", id: call.id ?? "" });
    } else parts.push(...partsOf(item, before));
    const reasoningId = item["type"] === "reasoning" ? item["id"] : undefined;
    before = typeof reasoningId === "string" ? { reasoningId } : {};
  }
  const isCallsAlone = parts.every(({ type }) => type === "tool-call");
  return {
    ...(typeof id === "string" ? { id } : {}),
    content: isCallsAlone ? null : parts,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Whether the item is a call that JAF runs. */
export const isCall = ({ type }: Fields): boolean => type === "function_call" || type === "custom_tool_call";

/** Doesn't validate the call: the engine does. */
export function callOf(item: Fields, { names, textFunctions }: CallNames, before: Before): ModelToolCall {
  const { type, call_id, name: wireName, arguments: text, input, ...rest } = item;
  const id = typeof call_id === "string" ? call_id : "";
  const name = typeof wireName === "string" ? names.toOwn(wireName) : "";
  const kept = withMetadata({ item: rest, ...before });
  if (type === "custom_tool_call")
    return { id, type: "custom", custom: { name, input: asText(input) }, ...kept };
  if (textFunctions.has(name))
    return { id, type: "custom", custom: { name, input: textInputIn(text) }, ...kept };
  return { id, type: "function", function: { name, arguments: asText(text ?? "{}") }, ...kept };
}

/** Some local models send decoded objects. */
const asText = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

/** Types of parts that have a meaning in JAF. */
const OWN_TYPES: ReadonlySet<unknown> = new Set([
  ...["text", "refusal", "media", "source", "tool-call", "provider-tool-call", "provider-tool-result"],
  OTHER_ITEM,
]);

/** The parts of an output item that JAF doesn't run, in order and with all fields. */
export function partsOf(item: Fields, before: Before): readonly ContentPart[] {
  const { type } = item;
  if (typeof type !== "string") return [];
  if (type === "reasoning") return [reasoningPart(item, before)];
  const known = type === "message" ? messageParts(item, before) : builtInParts(item, before);
  if (known !== undefined) return known;
  const kept = before.reasoningId === undefined ? {} : withMetadata({ item: {}, ...before });
  return [OWN_TYPES.has(type) ? { type: OTHER_ITEM, item, ...kept } : { ...item, type, ...kept }];
}

/**
 * The parts for an item of a tool that OpenAI runs, e.g. `web_search_call`: a call and its result for display. The
 * metadata of the call holds the whole item. Returns `undefined` for other items.
 */
function builtInParts(item: Fields, before: Before): readonly ContentPart[] | undefined {
  const { type, id, call_id } = item;
  if (typeof type !== "string" || !type.endsWith("_call") || typeof id !== "string") return undefined;
  const image = imagePart(item, before);
  if (image !== undefined) return [image];
  const name = type.slice(0, -"_call".length);
  const input = picked(item, ["action", "queries", "code", "server_label", "name", "arguments", "operation"]);
  const call = { type: "provider-tool-call", id, name, input, ...withMetadata({ item, ...before }) };
  // With a `call_id`, another item holds the result.
  if (typeof call_id === "string") return [call];
  const output = picked(item, ["status", "results", "outputs", "output", "error"]);
  return [call, { type: "provider-tool-result", id, name, output }];
}

/** A generated image as a media part. */
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

/** The content parts of a message item, one empty text if it has none; `undefined` if the content isn't valid. */
function messageParts(item: Fields, before: Before): readonly ContentPart[] | undefined {
  const { type: _, role: __, content, ...rest } = item;
  // Some compatible endpoints send a string.
  const given = typeof content === "string" ? [{ type: "output_text", text: content }] : listOf(content);
  const parts = given.filter(isPart);
  if (parts.length < given.length) return undefined;
  if (parts.length === 0) {
    const { type: _type, role: _role, ...empty } = item;
    return [{ type: "text", text: "", ...withMetadata({ item: empty, ...before }) }];
  }
  return parts.map((part, contentIndex) => messagePart(part, { item: rest, contentIndex, ...before }));
}

const isPart = (part: unknown): part is Fields & { readonly type: string } =>
  isObject(part) && typeof part["type"] === "string";

function messagePart(part: Fields & { readonly type: string }, metadata: ItemMetadata): ContentPart {
  const { type, text, refusal, ...further } = part;
  const kept = withMetadata(Object.keys(further).length === 0 ? metadata : { ...metadata, content: further });
  if (type === "output_text" && typeof text === "string") return { type: "text", text, ...kept };
  if (type === "refusal" && typeof refusal === "string") return { type, refusal, ...kept };
  return { ...part, ...withMetadata(metadata) };
}
