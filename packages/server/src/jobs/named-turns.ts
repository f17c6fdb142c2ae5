import type { TurnLog } from "@jaf/memory";
import { refusal, storeRefusal } from "../turns/turn-errors.ts";
import type { StartedTurn, TurnIds } from "../turns/turn-service.ts";

interface NamedTurn extends TurnIds {
  readonly userId: string;
}

interface NamedTurnsOptions {
  readonly log: TurnLog;
  /** Returns the result for a request whose turn has already begun, in this process or another. */
  readonly join: (turn: TurnIds) => StartedTurn;
}

/** Returns a function that starts a turn with a given id only once. A repeated request gets the turn that has begun. */
export function createNamedTurns({ log, join }: NamedTurnsOptions) {
  // Decides between the requests of this process. Between processes, the log decides: it accepts each turn id once.
  const starting = new Map<string, Promise<StartedTurn>>();

  /**
   * Returns the result of `join` if the log has the turn, and otherwise `undefined`. Refuses the request if the turn
   * belongs to another user, or if the turn's events have expired.
   */
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
