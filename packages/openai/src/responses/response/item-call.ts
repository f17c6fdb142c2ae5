import type { ModelToolCall } from "@jaf/core";
import { type Fields, textInputIn } from "@jaf/model-http";
import type { OpenAIRequest } from "../../provider.ts";
import { type ItemMetadata, withMetadata } from "../item-metadata.ts";

export type CallNames = Pick<OpenAIRequest, "names" | "textFunctions">;

/** Whether JAF is to run it. */
export const isCall = ({ type }: Fields): boolean => type === "function_call" || type === "custom_tool_call";

/** What is wrong with it the engine says. */
export function callOf(
  item: Fields,
  { names, textFunctions }: CallNames,
  before: Pick<ItemMetadata, "reasoningId">,
): ModelToolCall {
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

/** Local models hand over the decoded object. */
const asText = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
