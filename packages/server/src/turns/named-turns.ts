import type { TurnLog } from "@jaf/memory";
import { refusal, storeRefusal } from "./turn-errors.ts";
import type { StartedTurn } from "./turn-service.ts";
import type { TurnIds } from "./turn-session.ts";

export interface NamedTurn extends TurnIds {
  readonly userId: string;
}

export interface NamedTurnsOptions {
  readonly log: TurnLog;
  /** The turn, which has begun, here or elsewhere. */
  readonly join: (turn: TurnIds) => StartedTurn;
}

/**
 * Starts each turn whose id the request gives once. Here, requests that come while it starts share its beginning; between processes
 * the log decides, in which no id begins twice: who was slower joins the turn that it finds there.
 */
export function createNamedTurns({ log, join }: NamedTurnsOptions) {
  const starting = new Map<string, Promise<StartedTurn>>();

  /** `undefined`: the log has no such turn. */
  async function find({ userId, ...turn }: NamedTurn): Promise<StartedTurn | undefined> {
    const read = await log.read({ ...turn, limit: 1 });
    if (!read.success) return { started: false, refusal: storeRefusal(read.error) };
    if (read.data === null) return undefined;
    const { turn: logged, events } = read.data;
    if (logged.userId !== userId) return { started: false, refusal: refusal("not-found") };
    const isExpired = logged.state !== "running" && events.length === 0;
    return isExpired ? { started: false, refusal: refusal("changed") } : join(turn);
  }

  async function startOnce(turn: NamedTurn, start: () => Promise<StartedTurn>): Promise<StartedTurn> {
    const found = await find(turn);
    if (found !== undefined) return found;
    const started = await start();
    return started.started ? started : ((await find(turn)) ?? started);
  }

  return function startNamed(turn: NamedTurn, start: () => Promise<StartedTurn>): Promise<StartedTurn> {
    const key = JSON.stringify([turn.userId, turn.conversationId, turn.turnId]);
    const underWay = starting.get(key);
    if (underWay !== undefined) return underWay;
    const begun = startOnce(turn, start).finally(() => starting.delete(key));
    starting.set(key, begun);
    return begun;
  };
}
