import type { Interruption } from "@jaf/core";
import type { LoggedTurn, Result, RichMessage, TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import type { TurnEvent } from "../turns/turn-event.ts";

export interface ChatStores {
  readonly provider: VersionedMemoryProvider;
  readonly log: TurnLog;
}

export interface StoredChat {
  /** `undefined`: there is no such conversation, or it is somebody else's. */
  readonly version: number | undefined;
  readonly messages: readonly RichMessage[];
  readonly firstPosition: number;
}

/** How many messages are read first where only the last reply is asked for. */
const TAIL = 200;

/** What the user has of the conversation. `tail`: at least the last message of the user, and all behind it. */
export async function readChat(
  { provider }: ChatStores,
  conversationId: string,
  { userId, part }: { readonly userId: string; readonly part: "all" | "tail" },
): Promise<Result<StoredChat>> {
  const read = await provider.readConversation(conversationId, {
    messages: part === "all" ? "all" : { limit: TAIL },
  });
  if (!read.success) return read;
  const { conversation, firstPosition } = read.data;
  if (conversation === null || conversation.userId !== userId) {
    return { success: true, data: { version: undefined, messages: [], firstPosition: 0 } };
  }
  const { messages, metadata } = conversation;
  const isCut = part === "tail" && messages.length === TAIL && !messages.some(({ role }) => role === "user");
  if (isCut) return readChat({ provider } as ChatStores, conversationId, { userId, part: "all" });
  return { success: true, data: { version: metadata?.version ?? 0, messages, firstPosition } };
}

/** The user's latest turn in the conversation. */
export async function latestTurn(
  { log }: ChatStores,
  conversationId: string,
  userId: string,
): Promise<Result<LoggedTurn | undefined>> {
  const turns = await log.turnsOf(conversationId, 1);
  if (!turns.success) return turns;
  const [turn] = turns.data;
  return { success: true, data: turn?.userId === userId ? turn : undefined };
}

/** What a turn waits for, as far as its events can still be read. */
export async function waitingCalls(
  { log }: ChatStores,
  turn: LoggedTurn | undefined,
): Promise<Result<readonly Interruption[]>> {
  if (turn?.state !== "waiting") return { success: true, data: [] };
  const { conversationId, turnId, events } = turn;
  const read = await log.read({ conversationId, turnId, from: Math.max(0, events - 1), limit: 1 });
  if (!read.success) return read;
  const [text] = read.data?.events ?? [];
  // The log holds what this server stored.
  const last = text === undefined ? undefined : (JSON.parse(text) as TurnEvent);
  return { success: true, data: last?.type === "turn_end" ? (last.interruptions ?? []) : [] };
}
