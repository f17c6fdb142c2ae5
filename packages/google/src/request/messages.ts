import type { RichMessage } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import type { Fields } from "@jaf/model-http";
import { type AssistantContext, modelParts } from "./assistant-message.ts";
import { userParts } from "./media.ts";
import { resultParts } from "./tools.ts";

/** A message in Gemini's format. */
export interface Content {
  readonly role: "user" | "model";
  readonly parts: readonly Fields[];
}

/**
 * The messages of a request. Consecutive messages of one role are merged, since roles must alternate. Later system messages
 * become user messages, since Gemini has no other place for them. Media that a tool result can't contain follow the results
 * of their step.
 */
export function contentsOf(messages: readonly RichMessage[], context: AssistantContext): readonly Content[] {
  const contents: { role: Content["role"]; parts: Fields[] }[] = [];
  const add = (role: Content["role"], parts: readonly Fields[]): void => {
    if (parts.length === 0) return;
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts: [...parts] });
  };
  let behind: readonly Fields[] = [];
  for (const message of messages) {
    if (message.role !== "tool") {
      add("user", behind);
      behind = [];
    }
    switch (message.role) {
      case "system":
      case "developer": {
        const text = messageText(message);
        add("user", text.trim() === "" ? [] : [{ text }]);
        break;
      }
      case "user":
        add("user", userParts(message.content));
        break;
      case "assistant":
        add("model", modelParts(message, context));
        break;
      case "tool": {
        const result = resultParts(message, context);
        add("user", result.parts);
        behind = [...behind, ...result.behind];
        break;
      }
    }
  }
  add("user", behind);
  return contents;
}

const FILLER: Content = { role: "user", parts: [{ text: "…" }] };

/** Makes a user message the first one, which the service requires. */
export const withUserFirst = (contents: readonly Content[]): readonly Content[] =>
  contents[0]?.role === "model" ? [FILLER, ...contents] : contents;

/** Makes user messages the first and the last one, which the service requires. */
export function withUserAtBothEnds(contents: readonly Content[]): readonly Content[] {
  const first = withUserFirst(contents);
  return first.at(-1)?.role === "user" ? first : [...first, FILLER];
}
