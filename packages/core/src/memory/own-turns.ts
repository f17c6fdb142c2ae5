import type { MemoryProvider } from "@jaf/memory";

const LONGEST_PAUSE_MS = 250;

/** Turns of one process follow each other quickly if less than this lies between them. */
const QUICKLY_MS = 1_000;

/**
 * Who had to wait for its turn gives way after it, and after the next ones, where nobody came; who hadn't, once in so
 * many turns that follow each other quickly: others may wait unseen.
 */
const TURNS_IN_A_ROW = 4;

/** The turns that this process has had of a conversation lately. */
export interface OwnTurns {
  /**
   * How long its next run should leave the turn to other processes, in milliseconds; `0` where it needn't. They look
   * for the turn at intervals that grow while they wait, so whoever comes right after its end would always be first.
   */
  readonly pauseMs: () => number;
  /** A run of this process leaves the turn, which it has had for `heldMs`. `contended`: it had to wait for others. */
  readonly left: (turn: { readonly heldMs: number; readonly contended: boolean }) => void;
}

interface LastTurn {
  readonly leftAt: number;
  readonly pauseUntil: number;
  /** How many turns have followed each other quickly; after one that was contended they are counted from 0. */
  readonly count: number;
}

const lastTurns = new WeakMap<MemoryProvider, Map<string, LastTurn>>();

export function ownTurns(provider: MemoryProvider, conversationId: string): OwnTurns {
  const turns = lastTurns.get(provider) ?? new Map<string, LastTurn>();
  lastTurns.set(provider, turns);
  return {
    pauseMs: () => Math.max(0, (turns.get(conversationId)?.pauseUntil ?? 0) - performance.now()),
    left: ({ heldMs, contended }) => {
      const leftAt = performance.now();
      const last = turns.get(conversationId);
      const quickly = last !== undefined && leftAt - heldMs - last.leftAt < QUICKLY_MS;
      const following = quickly ? last.count + 1 : TURNS_IN_A_ROW;
      const count = contended ? 0 : following;
      const givesWay = count < TURNS_IN_A_ROW || count % TURNS_IN_A_ROW === TURNS_IN_A_ROW - 1;
      const pauseUntil = givesWay ? leftAt + Math.min(heldMs, LONGEST_PAUSE_MS) : 0;
      dropOld(turns);
      // Taken out first, so that they stand in the order of their times.
      turns.delete(conversationId);
      turns.set(conversationId, { leftAt, pauseUntil, count });
    },
  };
}

function dropOld(turns: Map<string, LastTurn>): void {
  const now = performance.now();
  for (const [conversationId, { leftAt }] of turns) {
    if (now - leftAt < QUICKLY_MS) return;
    turns.delete(conversationId);
  }
}
