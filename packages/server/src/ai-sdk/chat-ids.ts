import type { ConversationMemory, RichMessage } from "@jaf/memory";
import { sha256 } from "@jaf/memory/internal";
import type { SaidMessage } from "./chat-request.ts";

/**
 * Returns the conversation id of a chat. Clients choose chat ids, so the conversation id also depends on the user: a chat id can't
 * reach another user's conversation or reveal whether it exists.
 */
export const conversationOfChat = (userId: string, chatId: string): string =>
  `ui-${sha256(JSON.stringify([userId, chatId]), "hex")}`;

/**
 * Returns the id that opens a conversation of the user in `useChat`: the id that the client chose, otherwise the conversation's own. An
 * application may also have written `chatId` into metadata, so it is checked.
 */
export function chatIdOf(userId: string, { conversationId, metadata }: ConversationMemory): string {
  const chosen: unknown = metadata?.["chatId"];
  const isChosen = typeof chosen === "string" && conversationOfChat(userId, chosen) === conversationId;
  return isChosen ? chosen : conversationId;
}

/**
 * Returns the turn id for a user's message, a hash of its id and content: a repeated submit has the same turn id and isn't stored
 * twice. Returns `undefined` if the client gave the message no id, since a repetition can't be told from a new equal message.
 */
export const turnOfMessage = (conversationId: string, { id, content }: SaidMessage): string | undefined =>
  isClientId(id) ? `ui-${sha256(JSON.stringify([conversationId, id, content]), "hex")}` : undefined;

const POSITION_ID = /^jaf-(0|[1-9]\d{0,14})$/;

/** Returns the id of the UI message that begins at this position. */
export const messageIdAt = (position: number): string => `jaf-${position}`;

/** Returns a function that gives messages of one conversation their ids: the client's id for user messages, otherwise by position. */
export function messageIds(firstPosition: number): (message: RichMessage, index: number) => string {
  const taken = new Set<string>();
  return ({ role, id }, index) => {
    const own = role === "user" && isClientId(id) && !taken.has(id) ? id : messageIdAt(firstPosition + index);
    taken.add(own);
    return own;
  };
}

/** Checks whether a value can be a client's id for a user message. Ids made from a position can't. */
export const isClientId = (id: unknown): id is string =>
  typeof id === "string" && id !== "" && id.length <= 255 && !POSITION_ID.test(id);

/** Returns the index of the user's message with this id, or `undefined`. */
export function userMessageWithId(
  { messages, firstPosition }: { readonly messages: readonly RichMessage[]; readonly firstPosition: number },
  id: string,
): number | undefined {
  const ids = messageIds(firstPosition);
  const index = messages.findIndex((message, at) => ids(message, at) === id);
  return messages[index]?.role === "user" ? index : undefined;
}
