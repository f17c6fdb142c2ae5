import type { ConversationMemory, RichMessage } from "@jaf/memory";
import { sha256 } from "@jaf/memory/internal";
import type { SaidMessage } from "./chat-request.ts";

/** Returns the conversation id for a chat id that a client chose: a hash of the user's id and the chat id. */
export const conversationOfChat = (userId: string, chatId: string): string =>
  // With the user's id in the hash, a chat id can't open another user's conversation.
  `ui-${sha256(JSON.stringify([userId, chatId]), "hex")}`;

/**
 * Returns the id that opens a conversation of the user in `useChat`. This is the chat id that a client created the
 * conversation with, or otherwise the conversation id.
 */
export function chatIdOf(userId: string, { conversationId, metadata }: ConversationMemory): string {
  const chosen: unknown = metadata?.["chatId"];
  // The application may have written a `chatId` of its own into the metadata.
  const isChosen = typeof chosen === "string" && conversationOfChat(userId, chosen) === conversationId;
  return isChosen ? chosen : conversationId;
}

/**
 * Returns the turn id for a user's message: each time that a client sends this message, the id is the same. Returns
 * `undefined` if the message has no id that the client chose.
 */
export const turnOfMessage = (conversationId: string, { id, content }: SaidMessage): string | undefined =>
  isClientId(id) ? `ui-${sha256(JSON.stringify([conversationId, id, content]), "hex")}` : undefined;

const POSITION_ID = /^jaf-(0|[1-9]\d{0,14})$/;

/** Returns the id of the UI message that begins at this position of the conversation, e.g. `jaf-12`. */
export const messageIdAt = (position: number): string => `jaf-${position}`;

/**
 * Returns a function that returns the UI message id of a stored message. Call that function for each message in order,
 * beginning with the message at `firstPosition`.
 */
export function messageIds(firstPosition: number): (message: RichMessage, index: number) => string {
  const taken = new Set<string>();
  return ({ role, id }, index) => {
    // A user's message keeps the client's id, unless an earlier message has this id.
    const own = role === "user" && isClientId(id) && !taken.has(id) ? id : messageIdAt(firstPosition + index);
    taken.add(own);
    return own;
  };
}

/**
 * Checks whether a client may have chosen this id for a user's message. Returns `false` for ids that JAF makes, e.g.
 * `jaf-12`.
 */
export const isClientId = (id: unknown): id is string =>
  typeof id === "string" && id !== "" && id.length <= 255 && !POSITION_ID.test(id);

/** Returns the index of the user's message with this UI message id, or `undefined` if there is none. */
export function userMessageWithId(
  { messages, firstPosition }: { readonly messages: readonly RichMessage[]; readonly firstPosition: number },
  id: string,
): number | undefined {
  const ids = messageIds(firstPosition);
  const index = messages.findIndex((message, at) => ids(message, at) === id);
  return messages[index]?.role === "user" ? index : undefined;
}
