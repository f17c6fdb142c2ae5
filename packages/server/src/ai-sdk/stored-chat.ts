import type { Interruption } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import type { LoggedTurn } from "@jaf/memory/adapter";
import { unwrap } from "../http/failure.ts";
import type { ServerParts } from "../server-parts.ts";
import { decodeEvent } from "../turns/turn-event.ts";

type Stores = Pick<ServerParts, "provider" | "log">;

/** A conversation, and whose it has to be. */
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

/** How many messages are read first where only the last reply is asked for. */
const TAIL = 200;

/** What the user has of the conversation. `tail`: at least the last message of the user, and all behind it. */
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

/** The user's latest turn in the conversation. */
export async function latestTurn({ log }: Stores, chat: Chat): Promise<LoggedTurn | undefined> {
  const [turn] = unwrap(await log.turnsOf(chat.conversationId, 1));
  return turn?.userId === chat.userId ? turn : undefined;
}

/** The user's turn of this id, while the log has it. */
export async function turnWithId(
  { log }: Stores,
  { conversationId, userId }: Chat,
  turnId: string,
): Promise<LoggedTurn | undefined> {
  const turn = unwrap(await log.read({ conversationId, turnId, limit: 1 }))?.turn;
  return turn?.userId === userId ? turn : undefined;
}

/** The calls that the conversation waits for, as far as the events of its latest turn can still be read. */
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
  /** Where it begins in the conversation. */
  readonly position: number;
  /** What of it was there before the turn: the turn goes on with calls that waited. */
  readonly before: readonly RichMessage[];
}

/**
 * Where the reply of a turn is whose first own message has the position `turnPosition`. The turn may have stored some of its
 * messages already, or none, not even what the user said.
 */
export function replyPlace(
  { messages, firstPosition }: Omit<StoredChat, "version">,
  turnPosition: number,
): ReplyPlace {
  const length = turnPosition - firstPosition;
  const earlier = messages.slice(0, Math.max(0, length));
  const own = messages.slice(earlier.length);
  // Said as part of a history that was sent along.
  const said = own.findIndex(({ role }) => role !== "user");
  const isMissing = earlier.length !== length;
  if (said > 0 || isMissing || earlier.at(-1)?.role === "user") {
    return { position: turnPosition + Math.max(0, said), before: [] };
  }
  const begun = replyStart(earlier);
  return { position: firstPosition + begun, before: earlier.slice(begun) };
}

/** The index of the first reply since the user spoke; how many messages there are if there is none. */
function replyStart(messages: readonly RichMessage[]): number {
  const user = messages.findLastIndex(({ role }) => role === "user");
  const reply = messages.findIndex(({ role }, index) => index > user && role === "assistant");
  return reply < 0 ? messages.length : reply;
}
