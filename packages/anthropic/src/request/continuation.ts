import { type Fields, isObject, listOf, parseJson } from "@jaf/model-http";
import { textBlocks, type WireBlock } from "../wire.ts";

/** The request that goes on with a reply that the service has paused: the same, with what there is of the reply behind it. */
export const continued = (body: Fields, content: readonly WireBlock[]): Fields => ({
  ...body,
  messages: [...listOf(body["messages"]), { role: "assistant", content: content.flatMap(sendable) }],
});

/** As it came, but for what the service itself refuses: texts of white space, and an input that is still JSON text. */
function sendable(block: WireBlock): readonly WireBlock[] {
  if (block.type === "text" && typeof block["text"] === "string" && textBlocks(block["text"]).length === 0)
    return [];
  if (typeof block["input"] !== "string") return [block];
  const input = parseJson(block["input"]);
  return [{ ...block, input: isObject(input) ? input : {} }];
}
