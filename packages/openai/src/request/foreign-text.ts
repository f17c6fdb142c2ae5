import type { ContentPart, RichMessage } from "@jaf/memory";
import { messageText } from "@jaf/memory/engine";
import { isObject, mediaMention } from "@jaf/model-http";
import { isMedia } from "./media.ts";

/** What becomes of the readable thinking of another model. */
export type ForeignReasoning = "omit" | "text";

/** What another model said, and by option thought before; `""` for nothing. */
export const foreignText = (message: RichMessage, foreignReasoning: ForeignReasoning): string =>
  [foreignReasoning === "text" ? readableReasoning(message) : "", spokenOf(message)]
    .filter((text) => text.trim() !== "")
    .join("\n\n");

/** A refusal counts as said, and of media it is said that they were there. */
function spokenOf(message: RichMessage): string {
  const parts = Array.isArray(message.content) ? message.content : [];
  const refusals = [message["refusal"], ...parts.map((part) => part["refusal"])];
  const lines = [messageText(message), ...refusals, ...parts.filter(isMedia).map(mediaMention)];
  return lines.filter((line) => typeof line === "string" && line !== "").join("\n");
}

/** Thinking that may be read, in the words of every gateway. */
function readableReasoning(message: {
  readonly content: string | readonly ContentPart[] | null;
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
