import type { Interruption } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import type { LoggedTurn } from "@jaf/memory/adapter";
import { unwrap } from "../http/failure.ts";
import type { ServerParts } from "../server-parts.ts";
import { decodeEvent } from "../turns/turn-event.ts";

type Stores = Pick<ServerParts, "provider" | "log">;

/** A conversation and its expected owner. */
export interface Chat {
  readonly conversationId: string;
  readonly userId: string;
}

export interface StoredChat {
  /** `undefined`: the user has no such conversation. */
  readonly version: number | undefined;
  readonly messages: readonly RichMessage[];
  readonly firstPosition: number;
}

/** Number of messages to read first if only the last reply is needed. */
const TAIL = 200;

/** Reads the user's conversation. `tail`: at least the last message of the user and all later ones. */
export async function readChat(stores: Stores, chat: Chat, part: "all" | "tail"): Promise<StoredChat> {
  const messages = part === "all" ? "all" : { limit: TAIL };
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
