import type { Interruption } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import type { LoggedTurn } from "@jaf/memory/adapter";
import { unwrap } from "../http/failure.ts";
import type { ServerParts } from "../server-parts.ts";
import { decodeEvent } from "../turns/turn-event.ts";
import { conversationOfChat } from "./chat-ids.ts";

type Stores = Pick<ServerParts, "provider" | "log">;

/** The conversation that a client shows with `useChat`, and the user who must own it. */
export interface Chat {
  readonly conversationId: string;
  readonly userId: string;
  /**
   * The chat id that the client chose for this conversation, which may not exist yet. Absent if the client named an
   * existing conversation by its conversation id.
   */
  readonly chosenId?: string;
}

export interface StoredChat {
  /** The conversation's version. `undefined`: the user has no such conversation. */
  readonly version: number | undefined;
  readonly messages: readonly RichMessage[];
  readonly firstPosition: number;
}

/**
 * Number of messages to load first if only the last reply is needed. If none of them is a user's message, all
 * messages are loaded.
 */
const TAIL = 200;

/** The messages to load. `"tail"`: at least the user's last message and all later messages. */
type ChatPart = "all" | "tail" | "none";

/**
 * Loads messages of the chat's conversation. If the user has no such conversation, returns no messages and no version.
 */
export async function readChat(stores: Stores, chat: Chat, part: ChatPart): Promise<StoredChat> {
  const messages = part === "tail" ? { limit: TAIL } : part;
  const read = unwrap(await stores.provider.readConversation(chat.conversationId, { messages }));
  const { conversation, firstPosition } = read;
  if (conversation === null || conversation.userId !== chat.userId) {
    return { version: undefined, messages: [], firstPosition: 0 };
  }
  const stored = conversation.messages;
  const isCut = part === "tail" && stored.length === TAIL && !stored.some(({ role }) => role === "user");
  if (isCut) return readChat(stores, chat, "all");
  return { version: conversation.metadata?.version ?? 0, messages: stored, firstPosition };
}

/** Returns the chat for a chat id that the client chose. Doesn't check whether its conversation exists. */
const chosenChat = (userId: string, chosenId: string): Chat => ({
  ...{ userId, chosenId, conversationId: conversationOfChat(userId, chosenId) },
});

/**
 * Finds the conversation for `chatId`, an id that the client chose, and loads its messages. Looks first for the user's
 * conversation that was created for this chat id, then for the user's conversation whose own id is `chatId`. If the user
 * has neither, returns a new chat without messages. The calls of the store are the same whether or not another user has a
 * conversation with this id, so that their number and duration reveal nothing.
 */
export async function openChat(
  stores: Stores,
  { userId, chatId }: { readonly userId: string; readonly chatId: string },
  part: ChatPart,
): Promise<{ readonly chat: Chat; readonly stored: StoredChat }> {
  const chat = chosenChat(userId, chatId);
  const stored = await readChat(stores, chat, part);
  if (stored.version !== undefined || !(await isOwn(stores, { userId, conversationId: chatId })))
    return { chat, stored };
  const own = { userId, conversationId: chatId };
  return { chat: own, stored: await readChat(stores, own, part) };
}

/** Returns the latest turn of the chat that `openChat` finds, or `undefined` if the log has no turn of this chat. */
export async function latestTurnOf(
  stores: Stores,
  asked: { readonly userId: string; readonly chatId: string },
): Promise<LoggedTurn | undefined> {
  // In most cases the log alone is enough.
  const turn = await latestTurn(stores, chosenChat(asked.userId, asked.chatId));
  if (turn !== undefined) return turn;
  const { chat } = await openChat(stores, asked, "none");
  return chat.chosenId === undefined ? latestTurn(stores, chat) : undefined;
}

/** Checks whether the user has a conversation with this id. */
async function isOwn({ provider }: Stores, { conversationId, userId }: Chat): Promise<boolean> {
  const found = await provider.findConversations({ conversationId, userId, includeMessages: false });
  // A chat id may be a text that the store refuses as a conversation id.
  if (!found.success && found.error._tag === "MemoryValidationError") return false;
  return unwrap(found).length > 0;
}

/**
 * Returns the conversation's latest turn. Returns `undefined` if the log has no turn of the conversation, or if the
 * latest turn belongs to another user.
 */
async function latestTurn({ log }: Stores, chat: Chat): Promise<LoggedTurn | undefined> {
  const [turn] = unwrap(await log.turnsOf(chat.conversationId, 1));
  return turn?.userId === chat.userId ? turn : undefined;
}

/** Returns the turn with this id, or `undefined` if the log has no such turn of the user (e.g. because the turn has expired). */
export async function turnWithId(
  { log }: Stores,
  { conversationId, userId }: Chat,
  turnId: string,
): Promise<LoggedTurn | undefined> {
  const turn = unwrap(await log.read({ conversationId, turnId, limit: 1 }))?.turn;
  return turn?.userId === userId ? turn : undefined;
}

/**
 * Returns the conversation's pending calls: tool calls that wait for an approval or for the client. Returns `[]` if
 * there are none, or if the latest turn's events have expired.
 */
export async function waitingCalls(stores: Stores, chat: Chat): Promise<readonly Interruption[]> {
  const turn = await latestTurn(stores, chat);
  if (turn?.state !== "waiting") return [];
  const { conversationId, turnId, events } = turn;
  const from = Math.max(0, events - 1);
  const page = unwrap(await stores.log.read({ conversationId, turnId, from, limit: 1 }));
  const [text] = page?.events ?? [];
  const last = text === undefined ? undefined : decodeEvent(text);
  return last?.type === "turn_end" ? (last.interruptions ?? []) : [];
}

/** Where the UI message that shows a turn's replies begins in the conversation. */
export interface ReplyPlace {
  /** Position of the first stored message that the UI message shows. */
  readonly position: number;
  /**
   * The messages from before the turn that the UI message also shows. Empty unless the turn continues an earlier
   * turn, e.g. with answers to pending calls.
   */
  readonly before: readonly RichMessage[];
}

/**
 * Returns where the UI message that shows a turn's replies begins. `turnPosition` is the position of the turn's first
 * message after the user's input. `messages` may have been loaded before, during or after the turn. So they may lack
 * messages of the turn, even the user's message.
 */
export function replyPlace(
  { messages, firstPosition }: Omit<StoredChat, "version">,
  turnPosition: number,
): ReplyPlace {
  const length = turnPosition - firstPosition;
  const earlier = messages.slice(0, Math.max(0, length));
  const own = messages.slice(earlier.length);
  // The client sent these user messages as part of the history.
  const said = own.findIndex(({ role }) => role !== "user");
  const isMissing = earlier.length !== length;
  if (said > 0 || isMissing || earlier.at(-1)?.role === "user") {
    return { position: turnPosition + Math.max(0, said), before: [] };
  }
  const begun = replyStart(earlier);
  return { position: firstPosition + begun, before: earlier.slice(begun) };
}

/** Returns the index of the first reply after the user's last message, or the number of messages if there is no such reply. */
function replyStart(messages: readonly RichMessage[]): number {
  const user = messages.findLastIndex(({ role }) => role === "user");
  const reply = messages.findIndex(({ role }, index) => index > user && role === "assistant");
  return reply < 0 ? messages.length : reply;
}
