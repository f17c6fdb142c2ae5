import type { RichMessage } from "@jaf/memory";
import { messageText } from "@jaf/memory/engine";
import { isMedia, mediaMention, readableReasoning } from "@jaf/model-http";

/** What becomes of the readable thinking of another model. */
export type ForeignReasoning = "omit" | "text";

/** What another model said, and by option thought before; `""` for nothing. */
export const otherModelText = (message: RichMessage, foreignReasoning: ForeignReasoning): string =>
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
