import type { Interruption } from "@jaf/core";
import type { LoggedTurn } from "@jaf/memory";
import { unwrap } from "../http/failure.ts";
import type { ServerParts } from "../server-parts.ts";
import type { TurnRecord } from "../turns/turn-record.ts";
import { titleIn } from "./own-conversation.ts";

export interface WaitingCall {
  readonly conversationId: string;
  readonly title: string | null;
  readonly turnId: string;
  readonly interruption: Interruption;
}

/** The calls of so many turns are listed, those of the latest. */
const MOST_TURNS = 1_000;
/** So many conversations are read at once. */
const AT_ONCE = 50;
/** A conversation may be renamed, or be gone without the server's doing. */
const KEPT_MS = 30_000;

interface ReadTurn {
  readonly conversationId: string;
  readonly calls: readonly WaitingCall[];
  readonly readAt: number;
}

/**
 * Reads what waits for a user in all of their conversations. Who reads again and again is told of renamed conversations up to 30 seconds
 * later: what was read of a turn is kept so long.
 */
export function createWaitingCalls(
  { log, provider }: Pick<ServerParts, "log" | "provider">,
  userId: string,
): () => Promise<readonly WaitingCall[]> {
  /** By the turn's id. */
  let known: ReadonlyMap<string, ReadTurn> = new Map();

  async function callsOf({ conversationId, turnId, record = "{}" }: LoggedTurn) {
    const { interruptions = [] } = JSON.parse(record) as Partial<TurnRecord>;
    const { conversation } = unwrap(await provider.readConversation(conversationId, { messages: "none" }));
    // Gone, and maybe made again by somebody.
    if (conversation === null || conversation.userId !== userId) return [];
    const title = titleIn(conversation);
    return interruptions.map((interruption) => ({ conversationId, title, turnId, interruption }));
  }

  async function readTurn(turn: LoggedTurn): Promise<readonly [string, ReadTurn]> {
    const { conversationId, turnId } = turn;
    const before = known.get(turnId);
    const isKnown = before?.conversationId === conversationId && performance.now() - before.readAt < KEPT_MS;
    if (isKnown) return [turnId, before];
    return [turnId, { conversationId, calls: await callsOf(turn), readAt: performance.now() }];
  }

  return async () => {
    const turns = unwrap(await log.find({ userId, state: "waiting" }, MOST_TURNS));
    const read: (readonly [string, ReadTurn])[] = [];
    for (let start = 0; start < turns.length; start += AT_ONCE)
      read.push(...(await Promise.all(turns.slice(start, start + AT_ONCE).map(readTurn))));
    known = new Map(read);
    return read.flatMap(([, { calls }]) => calls);
  };
}
