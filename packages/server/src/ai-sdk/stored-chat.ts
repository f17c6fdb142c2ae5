import type { Interruption } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import type { LoggedTurn } from "@jaf/memory/adapter";
import { unwrap } from "../http/failure.ts";
import type { ServerParts } from "../server-parts.ts";
import { decodeEvent } from "../turns/turn-event.ts";
import { conversationOfChat } from "./chat-ids.ts";

type Stores = Pick<ServerParts, "provider" | "log">;

/** A conversation and its expected owner. */
export interface Chat {
  readonly conversationId: string;
  readonly userId: string;
  /** The id that the client chose for this conversation, which may be new. Absent: a conversation that exists under its own id. */
  readonly chosenId?: string;
}

export interface StoredChat {
  /** `undefined`: the user has no such conversation. */
  readonly version: number | undefined;
  readonly messages: readonly RichMessage[];
  readonly firstPosition: number;
}

/** Number of messages to read first if only the last reply is needed. */
const TAIL = 200;

/** The messages to read. `tail`: at least the last message of the user and all later ones. */
type ChatPart = "all" | "tail" | "none";

/** Reads the user's conversation. */
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

/** Returns the chat that begins, or has begun, under an id that the client chose. */
const chosenChat = (userId: string, chosenId: string): Chat => ({
  ...{ userId, chosenId, conversationId: conversationOfChat(userId, chosenId) },
});

/**
 * Opens the chat that the client means by an id: the user's chat that began under it, otherwise the user's conversation with this id,
 * otherwise a new chat. An id of another user's conversation is one of a new chat, after the same calls of the store.
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

/** Returns the latest turn of the chat that `openChat` opens. */
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
  // Chat ids may be texts that no conversation can have as its id.
  if (!found.success && found.error._tag === "MemoryValidationError") return false;
  return unwrap(found).length > 0;
}

/** Returns the user's latest turn in the conversation. */
export async function latestTurn({ log }: Stores, chat: Chat): Promise<LoggedTurn | undefined> {
  const [turn] = unwrap(await log.turnsOf(chat.conversationId, 1));
  return turn?.userId === chat.userId ? turn : undefined;
}

/** Returns the user's turn with this id, while it is in the log. */
export async function turnWithId(
  { log }: Stores,
  { conversationId, userId }: Chat,
  turnId: string,
): Promise<LoggedTurn | undefined> {
  const turn = unwrap(await log.read({ conversationId, turnId, limit: 1 }))?.turn;
  return turn?.userId === userId ? turn : undefined;
}

/** Returns the waiting calls of the conversation, while the events of its latest turn haven't expired. */
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

/** The UI message that a turn writes. */
export interface ReplyPlace {
  /** Position of its first message in the conversation. */
  readonly position: number;
  /** Its messages from before the turn, if the turn continues waiting calls. */
  readonly before: readonly RichMessage[];
}

/**
 * Returns the place of a turn's reply. `turnPosition` is the position of the turn's first own message. The turn may have stored some
 * of its messages or none, not even the user's message.
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

/** Returns the index of the first reply after the last user message, or the number of messages if there is none. */
function replyStart(messages: readonly RichMessage[]): number {
  const user = messages.findLastIndex(({ role }) => role === "user");
  const reply = messages.findIndex(({ role }, index) => index > user && role === "assistant");
  return reply < 0 ? messages.length : reply;
}
