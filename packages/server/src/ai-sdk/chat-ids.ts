import type { ConversationMemory, RichMessage } from "@jaf/memory";
import { sha256 } from "@jaf/memory/internal";
import type { SaidMessage } from "./chat-request.ts";

/**
 * Returns the conversation id for a chat id, which a client chose. The conversation id is a hash of the user's id and
 * the chat id. So a client can't open another user's conversation by a chat id, and can't find out whether such a
 * conversation exists.
 */
export const conversationOfChat = (userId: string, chatId: string): string =>
  `ui-${sha256(JSON.stringify([userId, chatId]), "hex")}`;

/**
 * Returns the id that opens a conversation of the user in `useChat`. If a client created the conversation with a chat
 * id, returns this chat id from the conversation's metadata. Otherwise, returns the conversation id, even if the
 * application wrote a `chatId` of its own into the metadata.
 */
export function chatIdOf(userId: string, { conversationId, metadata }: ConversationMemory): string {
  const chosen: unknown = metadata?.["chatId"];
  const isChosen = typeof chosen === "string" && conversationOfChat(userId, chosen) === conversationId;
  return isChosen ? chosen : conversationId;
}

/**
 * Returns the turn id for a user's message: a hash of the conversation id, the message id and the content. If a client sends the
 * message again, the turn id is the same, and the message isn't stored twice. Returns `undefined` if the client gave the message
 * no id: a repeated message then looks like a new message with the same content.
 */
export const turnOfMessage = (conversationId: string, { id, content }: SaidMessage): string | undefined =>
  isClientId(id) ? `ui-${sha256(JSON.stringify([conversationId, id, content]), "hex")}` : undefined;

const POSITION_ID = /^jaf-(0|[1-9]\d{0,14})$/;

/** Returns the id of the UI message whose first stored message has this position, e.g. `jaf-12`. */
export const messageIdAt = (position: number): string => `jaf-${position}`;

/**
 * Returns a function that returns the UI message id of a stored message. Call the returned function for all messages
 * of a conversation, in order. A user's message keeps the id from the client, unless an earlier message has the same
 * id. Other messages get an id by position, e.g. `jaf-12`.
 */
export function messageIds(firstPosition: number): (message: RichMessage, index: number) => string {
  const taken = new Set<string>();
  return ({ role, id }, index) => {
    const own = role === "user" && isClientId(id) && !taken.has(id) ? id : messageIdAt(firstPosition + index);
    taken.add(own);
    return own;
  };
}

/**
 * Checks whether a client may have chosen this id for a user's message. Ids that JAF makes from positions (e.g. `jaf-12`) are
 * excluded.
 */
export const isClientId = (id: unknown): id is string =>
  typeof id === "string" && id !== "" && id.length <= 255 && !POSITION_ID.test(id);

/** Returns the index of the user's message with this UI message id, or `undefined` if no user's message has the id. */
export function userMessageWithId(
  { messages, firstPosition }: { readonly messages: readonly RichMessage[]; readonly firstPosition: number },
  id: string,
): number | undefined {
  const ids = messageIds(firstPosition);
  const index = messages.findIndex((message, at) => ids(message, at) === id);
  return messages[index]?.role === "user" ? index : undefined;
}
