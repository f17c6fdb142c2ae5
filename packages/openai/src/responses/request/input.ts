import type { ModelOrigin, RichMessage } from "@jaf/memory";
import { messageText } from "@jaf/memory/engine";
import { isSameOrigin } from "../../request/origin.ts";
import { type ForeignReasoning, otherModelText } from "../../request/other-model-text.ts";
import { inputContent } from "./input-parts.ts";
import { callItem, type InputItem, type ItemContext, outputItem } from "./items.ts";
import { ownEntries } from "./own-entries.ts";
import { pairedItems } from "./reasoning-pairs.ts";

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

interface AssistantContext extends ItemContext {
  /** Of the model that is about to reply. */
  readonly origin: ModelOrigin;
  readonly foreignReasoning: ForeignReasoning;
  readonly isStored: boolean;
  readonly takesReadable: boolean;
  readonly sentIds: Set<string | undefined>;
}

/** None for a turn of which nothing is left to be sent. */
function assistantItems(message: RichMessage, context: AssistantContext): readonly InputItem[] {
  if (isSameOrigin(message.origin, context.origin)) return pairedItems(ownEntries(message, context), context);
  const said = otherModelText(message, context.foreignReasoning);
  const calls = (message.tool_calls ?? []).map((call) => callItem(call, false, context));
  return said === "" ? calls : [{ role: "assistant", content: said }, ...calls];
}
