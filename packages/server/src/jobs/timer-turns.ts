import { pause } from "../pause.ts";
import type { InboxTurns } from "./inbox-turns.ts";

/** For how many users turns begin at the same time. */
const MOST_AT_ONCE = 16;
/** How long other users wait for a turn that doesn't begin, e.g. because `context` doesn't resolve, in ms. */
const LATE_MS = 10_000;

interface TimerTurnsOptions {
  readonly goOn: InboxTurns["goOn"];
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

type Turn = Parameters<InboxTurns["goOn"]>[0];

/**
 * Returns a function that begins the turns of a user's inboxes in the background. What it doesn't begin, the search of the
 * inboxes begins later.
 */
export function createTimerTurns({ goOn, onError, signal }: TimerTurnsOptions): (turn: Turn) => void {
  /** By user: however many timers of a user are due, they use one place. */
  const waiting = new Map<string, Turn>();
  const underWay = new Set<string>();
  let running = 0;

  function beginNext(): void {
    for (const [userId, turn] of waiting) {
      if (running >= MOST_AT_ONCE) return;
      if (underWay.has(userId)) continue;
      waiting.delete(userId);
      void begin(turn);
    }
  }

  async function begin(turn: Turn): Promise<void> {
    const { userId } = turn;
    underWay.add(userId);
    running += 1;
    const begun = goOn(turn, { hasFailed: false }).finally(() => underWay.delete(userId));
    const isLate = await Promise.race([
      begun.then(() => false),
      pause(LATE_MS, signal).then(() => !signal.aborted),
    ]);
    if (isLate) onError(new Error(`A timer's turn didn't begin within ${LATE_MS} ms.`));
    running -= 1;
    beginNext();
  }

  return (turn) => {
    waiting.set(turn.userId, turn);
    beginNext();
  };
}
