import type { TurnLog } from "@jaf/memory";
import { refusal, storeRefusal } from "../turns/turn-errors.ts";
import type { StartedTurn, TurnIds } from "../turns/turn-service.ts";

interface NamedTurn extends TurnIds {
  readonly userId: string;
}

interface NamedTurnsOptions {
  readonly log: TurnLog;
  /**
   * Returns the result for a repeated request. The turn of this request has already begun, in this process or
   * another.
   */
  readonly join: (turn: TurnIds) => StartedTurn;
}

/**
 * Returns a function that starts a turn with a given id only once. Concurrent requests with this id in one process
 * get the same result. Between processes, the log decides: it accepts each turn id once, and the slower process joins
 * the turn that the faster process has begun.
 */
export function createNamedTurns({ log, join }: NamedTurnsOptions) {
  const starting = new Map<string, Promise<StartedTurn>>();

  /**
   * Looks for the turn in the log. If the log has no turn with this id, returns `undefined`. If the turn belongs to
   * another user, or its events have expired, refuses the request. Otherwise, joins the turn.
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
