import type { RichMessage } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import { splitInstructions, withoutForeignApprovals } from "@jaf/model-http";
import { inputContent } from "../request/media.ts";
import { type AssistantContext, assistantItems } from "./assistant-message.ts";
import type { InputItem } from "./items.ts";
import { answerItems } from "./outputs.ts";

export interface Input {
  readonly instructions: string;
  readonly items: readonly InputItem[];
}

/** The instructions and input of a request. The instructions include the conversation's leading system messages. */
export function inputOf(
  instructions: string,
  messages: readonly RichMessage[],
  context: AssistantContext,
): Input {
  const { system: told, spoken } = splitInstructions(
    [instructions],
    withoutForeignApprovals(messages, context.origin),
  );
  const items = spoken.flatMap((message) => messageItems(message, context));
  // The API requires some input.
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
      return resultItems(message, context);
  }
}

/** Returns no item if the call isn't in the request: the service refuses an output without its call. */
function resultItems(result: RichMessage, { ids, sent }: AssistantContext): readonly InputItem[] {
  const id = ids.answered(result.tool_call_id ?? "");
  const call = sent.get(id);
  return call === undefined ? [] : answerItems(call, id, result);
}
