import type { Interruption } from "@jaf/core";
import { takenPositions } from "@jaf/core/internal";
import type { RichMessage } from "@jaf/memory";
import type { LoggedTurn } from "@jaf/memory/adapter";
import { unwrap } from "../http/failure.ts";
import { isInner } from "../jobs/conversation.ts";
import type { ServerParts } from "../server-parts.ts";
import { decodeEvent } from "../turns/encoded-event.ts";
import { conversationOfChat } from "./chat-ids.ts";

type Stores = Pick<ServerParts, "provider" | "log">;

/** The conversation that a client shows with `useChat`, and the user who must own it. */
export interface Chat {
  readonly conversationId: string;
  readonly userId: string;
  /**
   * The chat id that the client chose for this conversation. Absent: the client named an existing conversation by its
   * conversation id.
   */
  readonly chosenId?: string;
}

export interface StoredChat {
  /** The conversation's version. `undefined`: the user has no such conversation. */
  readonly version: number | undefined;
  readonly messages: readonly RichMessage[];
  readonly firstPosition: number;
  /** Positions of messages that turns have taken from the inbox since the last final reply, or earlier. */
  readonly taken: ReadonlySet<number>;
}

/** Number of messages to load first if only the last reply is needed. */
const TAIL = 200;

/** Which messages to load. `"tail"`: at least the user's last message and all later messages. */
type ChatPart = "all" | "tail" | "none";

/**
 * Loads messages of the conversation `chat.conversationId`. If the user has no such conversation, returns no messages,
 * and `undefined` as version.
 */
export async function readChat(stores: Stores, chat: Chat, part: ChatPart): Promise<StoredChat> {
  const messages = part === "tail" ? { limit: TAIL } : part;
  const read = unwrap(await stores.provider.readConversation(chat.conversationId, { messages }));
  const { conversation, firstPosition } = read;
  if (conversation === null || conversation.userId !== chat.userId) {
    return { version: undefined, messages: [], firstPosition: 0, taken: new Set() };
  }
  const stored = conversation.messages;
  // Without a user's message, the last reply may begin before the messages that were loaded.
  const isCut = part === "tail" && stored.length === TAIL && !stored.some(({ role }) => role === "user");
  if (isCut) return readChat(stores, chat, "all");
  const taken = takenPositions(conversation);
  return { version: conversation.metadata?.version ?? 0, messages: stored, firstPosition, taken };
}

/** Returns the `Chat` for a chat id that the client chose. Its conversation may not exist. */
const chosenChat = (userId: string, chosenId: string): Chat => ({
  ...{ userId, chosenId, conversationId: conversationOfChat(userId, chosenId) },
});

/**
 * Loads the user's conversation that was created for `chatId`, or otherwise the user's conversation whose own id is
 * `chatId`. If the user has neither, returns a new `Chat` without messages.
 */
export async function openChat(
  stores: Stores,
  { userId, chatId }: { readonly userId: string; readonly chatId: string },
  part: ChatPart,
): Promise<{ readonly chat: Chat; readonly stored: StoredChat }> {
  // Another user's conversation causes the same calls of the store, so their duration reveals nothing.
  const chat = chosenChat(userId, chatId);
  const stored = await readChat(stores, chat, part);
  if (stored.version !== undefined || !(await isOwn(stores, { userId, conversationId: chatId })))
    return { chat, stored };
  const own = { userId, conversationId: chatId };
  return { chat: own, stored: await readChat(stores, own, part) };
}

/** Returns the latest turn of the conversation that `openChat` finds. Returns `undefined` if the turn log has none. */
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
  return unwrap(found).some((conversation) => !isInner(conversation));
}

/**
 * Returns the latest turn of the chat's conversation. Returns `undefined` if the turn log has none, or if the turn
 * belongs to another user.
 */
async function latestTurn({ log }: Stores, chat: Chat): Promise<LoggedTurn | undefined> {
  const [turn] = unwrap(await log.turnsOf(chat.conversationId, 1));
  return turn?.userId === chat.userId ? turn : undefined;
}

/** Returns the user's turn with this id, or `undefined` if the turn log doesn't have it. */
export async function turnWithId(
  { log }: Stores,
  { conversationId, userId }: Chat,
  turnId: string,
): Promise<LoggedTurn | undefined> {
  const turn = unwrap(await log.read({ conversationId, turnId, limit: 1 }))?.turn;
  return turn?.userId === userId ? turn : undefined;
}

/** Returns the conversation's pending calls: tool calls that wait for an approval or for the client. */
export async function waitingCalls(stores: Stores, chat: Chat): Promise<readonly Interruption[]> {
  const turn = await latestTurn(stores, chat);
  if (turn?.state !== "waiting") return [];
  const { conversationId, turnId, events } = turn;
  const from = Math.max(0, events - 1);
  const page = unwrap(await stores.log.read({ conversationId, turnId, from, limit: 1 }));
  // No events: they have expired.
  const [text] = page?.events ?? [];
  const last = text === undefined ? undefined : decodeEvent(text);
  return last?.type === "turn_end" ? (last.interruptions ?? []) : [];
}

/**
 * Returns the messages for a client that loads the chat. If a running turn has taken messages from the inbox, leaves out
 * the messages of this turn: the stream of the turn shows them all in one UI message.
 */
export async function loadedMessages(
  stores: Stores,
  chat: Chat,
  { messages, firstPosition, taken }: StoredChat,
): Promise<readonly RichMessage[]> {
  if (taken.size === 0) return messages;
  const turn = await latestTurn(stores, chat);
  if (turn?.state !== "running") return messages;
  const { conversationId, turnId } = turn;
  const page = unwrap(await stores.log.read({ conversationId, turnId, limit: 1 }));
  const [text] = page?.events ?? [];
  const start = text === undefined ? undefined : decodeEvent(text);
  const from = start?.type === "turn_start" ? start.position : undefined;
  if (from === undefined || Math.max(...taken) < from) return messages;
  return messages.slice(0, Math.max(0, from - firstPosition));
}

/** Where the UI message that shows a turn's replies begins in the conversation. */
export interface ReplyPlace {
  /** Position of the first stored message that the UI message shows. */
  readonly position: number;
  /**
   * The stored messages from `position` up to the turn's first message. Empty unless the turn continues an earlier
   * turn, e.g. with answers to pending calls.
   */
  readonly before: readonly RichMessage[];
}

/**
 * Returns the position of the first stored message that the UI message with a turn's replies shows. It is below
 * `turnPosition` (the position of the turn's first message after the user's input) if the turn continues an interrupted
 * reply.
 */
export function replyPlace(
  { messages, firstPosition }: Omit<StoredChat, "version" | "taken">,
  turnPosition: number,
): ReplyPlace {
  // `messages` may have been loaded before, during or after the turn, so messages of the turn may be missing.
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

/** Returns the index of the first reply after the user's last message, or `messages.length` if there is none. */
function replyStart(messages: readonly RichMessage[]): number {
  const user = messages.findLastIndex(({ role }) => role === "user");
  const reply = messages.findIndex(({ role }, index) => index > user && role === "assistant");
  return reply < 0 ? messages.length : reply;
}
