import type { ModelOrigin, RichMessage } from "@jaf/memory";
import { type ForeignReasoning, foreignText } from "../../request/foreign-text.ts";
import { isSameOrigin } from "../../request/origin.ts";
import { callItem, type InputItem, type ItemContext } from "./items.ts";
import { ownEntries } from "./own-entries.ts";
import { pairedItems } from "./paired.ts";

export interface AssistantContext extends ItemContext {
  /** Of the model that is about to reply. */
  readonly origin: ModelOrigin;
  readonly foreignReasoning: ForeignReasoning;
  readonly isStored: boolean;
  readonly takesReadable: boolean;
  readonly sentIds: Set<string | undefined>;
}

/** None for a turn of which nothing is left to be sent. */
export function assistantItems(message: RichMessage, context: AssistantContext): readonly InputItem[] {
  if (isSameOrigin(message.origin, context.origin)) return pairedItems(ownEntries(message, context), context);
  const said = foreignText(message, context.foreignReasoning);
  const calls = (message.tool_calls ?? []).map((call) => callItem(call, false, context));
  return said === "" ? calls : [{ role: "assistant", content: said }, ...calls];
}
