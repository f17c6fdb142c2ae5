import { isObject } from "./fields.ts";

/** Thinking that may be read, in the words of every gateway. */
export function readableReasoning(message: {
  readonly content: string | readonly unknown[] | null;
  readonly [field: string]: unknown;
}): string {
  for (const field of ["reasoning_content", "reasoning"]) {
    const value = message[field];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  if (!Array.isArray(message.content)) return "";
  return message.content
    .map((part: unknown) => (isObject(part) && part["type"] === "reasoning" ? part["text"] : undefined))
    .filter((text) => typeof text === "string")
    .join("\n");
}
