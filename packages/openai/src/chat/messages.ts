import type { RichMessage } from "@jaf/memory";
import { calledTool, messageText, partText } from "@jaf/memory/internal";
import { splitInstructions, withoutForeignApprovals } from "@jaf/model-http";
import { chatContent, chatMediaOf, textPart, type WirePart } from "../request/media.ts";
import { type AssistantContext, assistantMessage, type WireMessage } from "./assistant-message.ts";

/**
 * The messages of a request. The instructions and the conversation's leading system messages become one system message,
 * since many templates of open models accept only one. Media of tool results follow in a user's message after the
 * results of their step, because a result holds text only.
 */
export function wireMessages(
  instructions: string,
  messages: readonly RichMessage[],
  context: AssistantContext,
): readonly WireMessage[] {
  const { system, spoken } = splitInstructions(
    [instructions],
    withoutForeignApprovals(messages, context.origin),
  );
  const sent: WireMessage[] = system === "" ? [] : [{ role: "system", content: system }];
  const callNames = new Map<string, string>();
  let media: WirePart[] = [];
  const flush = (): void => {
    if (media.length > 0) sent.push({ role: "user", content: media });
    media = [];
  };
  for (const message of spoken) {
    if (message.role !== "tool") flush();
    switch (message.role) {
      case "system":
      case "developer":
        sent.push({ role: "system", content: messageText(message) });
        break;
      case "user":
        sent.push(userMessage(message));
        break;
      case "assistant": {
        for (const call of message.tool_calls ?? []) callNames.set(call.id, calledTool(call).name);
        const reply = assistantMessage(message, context);
        if (reply !== undefined) sent.push(reply);
        break;
      }
      case "tool": {
        const id = message.tool_call_id ?? "";
        const name = callNames.get(id);
        // A result without its call, which the service refuses, e.g. another framework's answer to an approval.
        if (name === undefined) break;
        const parts = Array.isArray(message.content) ? chatMediaOf(message.content) : [];
        if (parts.length > 0) media.push(textPart(`What ${name} returned:`), ...parts);
        sent.push({ role: "tool", tool_call_id: context.ids.answered(id), content: resultText(message) });
        break;
      }
    }
  }
  flush();
  return sent;
}

/** OpenAI's rule for the optional name. */
const isName = (name: unknown): name is string =>
  typeof name === "string" && /^[^\s<|\\/>]{1,64}$/.test(name);

function userMessage(message: RichMessage): WireMessage {
  const name = message["name"];
  return {
    role: "user",
    content: chatContent(message.content),
    ...(isName(name) ? { name } : {}),
  };
}

function resultText(message: RichMessage): string {
  if (!Array.isArray(message.content)) return messageText(message);
  const texts = message.content.map((part) => partText(part)).filter((text) => text !== undefined);
  return texts.length === 0 && message.content.length > 0
    ? "It follows in the next message."
    : texts.join("\n");
}
