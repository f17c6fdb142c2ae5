import type { RichMessage } from "@jaf/memory";
import { messageText } from "@jaf/memory/engine";
import { type AssistantContext, assistantItems } from "./assistant.ts";
import { inputContent } from "./input-parts.ts";
import { type InputItem, outputItem } from "./items.ts";

export interface Input {
  readonly instructions: string;
  readonly items: readonly InputItem[];
}

const isInstruction = ({ role }: RichMessage): boolean => role === "system" || role === "developer";

/** The conversation on the wire. The instructions are joined by those that the conversation begins with. */
export function inputOf(
  instructions: string,
  messages: readonly RichMessage[],
  context: AssistantContext,
): Input {
  const begin = messages.findIndex((message) => !isInstruction(message));
  const leading = begin === -1 ? messages : messages.slice(0, begin);
  const told = [instructions, ...leading.map(messageText)].filter((text) => text !== "").join("\n\n");
  const items = messages.slice(leading.length).flatMap((message) => messageItems(message, context));
  // Without any input there would be nothing to answer.
  return items.length === 0 && told !== ""
    ? { instructions: "", items: [{ role: "developer", content: told }] }
    : { instructions: told, items };
}

function messageItems(message: RichMessage, context: AssistantContext): readonly InputItem[] {
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer":
      return [{ role, content: messageText(message) }];
    case "user":
      return [{ role, content: inputContent(content) }];
    case "assistant":
      return assistantItems(message, context);
    case "tool":
      return [outputItem(message.tool_call_id ?? "", inputContent(content), context)];
  }
}
