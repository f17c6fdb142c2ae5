import type { RichMessage } from "@jaf/memory";
import { sha256 } from "@jaf/memory/internal";
import type { SaidMessage } from "./chat-request.ts";

/**
 * The conversation of a chat. Clients choose the ids of chats: of each user they name other conversations, so that none reaches
 * somebody else's, and whether somebody else has a chat of this id can't be told.
 */
export const conversationOfChat = (userId: string, chatId: string): string =>
  `ui-${sha256(JSON.stringify([userId, chatId]), "hex")}`;

/**
 * The turn in which the user says this message, which is made of what makes two submits the same: so the second says nothing again.
 * `undefined`: the client gave the message no id of its own, and nothing tells a repetition from the same words said again.
 */
export const turnOfMessage = (conversationId: string, { id, content }: SaidMessage): string | undefined =>
  isClientId(id) ? `ui-${sha256(JSON.stringify([conversationId, id, content]), "hex")}` : undefined;

const POSITION_ID = /^jaf-(0|[1-9]\d{0,14})$/;

/** The id of the UI message that begins with the message at this position. */
export const messageIdAt = (position: number): string => `jaf-${position}`;

/** Names the messages of one conversation: those of users as their client did, where it did. */
export function messageIds(firstPosition: number): (message: RichMessage, index: number) => string {
  const taken = new Set<string>();
  return ({ role, id }, index) => {
    const own = role === "user" && isClientId(id) && !taken.has(id) ? id : messageIdAt(firstPosition + index);
    taken.add(own);
    return own;
  };
}

/** Whether it can be the id of a user's message: not one that says a position. */
export const isClientId = (id: unknown): id is string =>
  typeof id === "string" && id !== "" && id.length <= 255 && !POSITION_ID.test(id);

/** The index of the user's message that has this id. `undefined`: none has. */
export function userMessageWithId(
  { messages, firstPosition }: { readonly messages: readonly RichMessage[]; readonly firstPosition: number },
  id: string,
): number | undefined {
  const ids = messageIds(firstPosition);
  const index = messages.findIndex((message, at) => ids(message, at) === id);
  return messages[index]?.role === "user" ? index : undefined;
}
