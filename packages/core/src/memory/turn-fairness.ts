import type { MemoryProvider } from "@jaf/memory";

const LONGEST_PAUSE_MS = 250;

/** Turns of one process follow each other quickly if there is less time than this between them. */
const QUICKLY_MS = 1_000;

/**
 * A process that didn't have to wait for its turns pauses after one in this many that follow each other quickly, because other
 * processes may be waiting without its knowledge. A process that had to wait for a turn pauses after that turn, and after the
 * next ones that follow quickly, until it has taken this many.
 */
const TURNS_IN_A_ROW = 4;

/** Makes a process leave turns of a conversation to other processes. */
export interface TurnFairness {
  /**
   * How long, in milliseconds, the next run of this process should wait before it tries to take the turn; `0`: not at all. Waiting
   * processes ask the store at growing intervals, so without a pause a run that starts right after the end of a turn would always
   * get the next one.
   */
  readonly pauseMs: () => number;
  /** To be called when a run of this process ends its turn, which took `heldMs`. `contended`: it had to wait for others. */
  readonly ended: (turn: { readonly heldMs: number; readonly contended: boolean }) => void;
}

interface LastTurn {
  readonly endedAt: number;
  readonly pauseUntil: number;
  /** How many turns have followed each other quickly. A contended turn starts again from 0. */
  readonly count: number;
}

const lastTurns = new WeakMap<MemoryProvider, Map<string, LastTurn>>();

export function turnFairness(provider: MemoryProvider, conversationId: string): TurnFairness {
  const turns = lastTurns.get(provider) ?? new Map<string, LastTurn>();
  lastTurns.set(provider, turns);
  return {
    pauseMs: () => Math.max(0, (turns.get(conversationId)?.pauseUntil ?? 0) - performance.now()),
    ended: ({ heldMs, contended }) => {
      const endedAt = performance.now();
      const last = turns.get(conversationId);
      const quickly = last !== undefined && endedAt - heldMs - last.endedAt < QUICKLY_MS;
      const following = quickly ? last.count + 1 : TURNS_IN_A_ROW;
      const count = contended ? 0 : following;
      const pauses = count < TURNS_IN_A_ROW || count % TURNS_IN_A_ROW === TURNS_IN_A_ROW - 1;
      const pauseUntil = pauses ? endedAt + Math.min(heldMs, LONGEST_PAUSE_MS) : 0;
      dropOld(turns);
      // Deleted first, so that the map stays in the order of the times.
      turns.delete(conversationId);
      turns.set(conversationId, { endedAt, pauseUntil, count });
    },
  };
}

function dropOld(turns: Map<string, LastTurn>): void {
  const now = performance.now();
  for (const [conversationId, { endedAt }] of turns) {
    if (now - endedAt < QUICKLY_MS) return;
    turns.delete(conversationId);
  }
}
