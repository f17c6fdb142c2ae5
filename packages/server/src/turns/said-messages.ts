import type { PromptInput } from "@jaf/core";
import type { Message, RichMessage } from "@jaf/memory";

/** The input of a turn as messages of the user. `undefined`: it is none. The store checks what they hold. */
export function saidMessages(input: PromptInput): readonly Message[] | undefined {
  if (typeof input === "string") return input === "" ? undefined : [userMessage(input)];
  if (!Array.isArray(input)) return undefined;
  const items: readonly unknown[] = input;
  if (items.length > 0 && items.every(isPart)) return [userMessage(items)];
  return items.every(isUserMessage) ? items : undefined;
}

function userMessage(content: unknown): Message {
  // The type of a message shows its text alone; parts are read through `RichMessage`.
  const message: Pick<RichMessage, "role"> & { readonly content: unknown } = { role: "user", content };
  return message as Message;
}

const isPart = (item: unknown): boolean =>
  typeof item === "object" && item !== null && "type" in item && !("role" in item);

const isUserMessage = (item: unknown): item is Message =>
  typeof item === "object" && item !== null && "role" in item && item.role === "user" && "content" in item;
