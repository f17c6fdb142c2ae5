import type { MemoryProvider } from "@jaf/memory";

/** For how long a conversation counts as contended after another process was seen to have its turn. */
const CONTENDED_MS = 5_000;

const LONGEST_PAUSE_MS = 250;

/** Who contends for the turns of a conversation, as far as this process has noticed lately. */
export interface Contention {
  /** A run of another process has the turn. */
  readonly noticed: () => void;
  readonly isContended: () => boolean;
  /** A run of this process has had the turn for so long, and leaves it. */
  readonly left: (heldMs: number) => void;
  /**
   * How long the next run of this process should leave the turn to others, in milliseconds. They look for it at
   * intervals that grow with the time they wait: whoever comes right after the turn has ended would always be first.
   */
  readonly pauseMs: () => number;
}

interface Entry {
  readonly noticedAt: number;
  /** Until when the turn is left to others. */
  readonly pauseUntil: number;
}

const contended = new WeakMap<MemoryProvider, Map<string, Entry>>();

export function contentionOf(provider: MemoryProvider, conversationId: string): Contention {
  const entries = contended.get(provider) ?? new Map<string, Entry>();
  contended.set(provider, entries);

  function current(): Entry | undefined {
    const entry = entries.get(conversationId);
    return entry !== undefined && isFresh(entry) ? entry : undefined;
  }

  return {
    noticed: () => {
      const pauseUntil = entries.get(conversationId)?.pauseUntil ?? 0;
      // Taken out first, so that the entries stand in the order of their times.
      entries.delete(conversationId);
      dropStale(entries);
      entries.set(conversationId, { noticedAt: performance.now(), pauseUntil });
    },
    isContended: () => current() !== undefined,
    left: (heldMs) => {
      const entry = current();
      if (entry === undefined) return;
      const pauseUntil = performance.now() + Math.min(heldMs, LONGEST_PAUSE_MS);
      entries.set(conversationId, { ...entry, pauseUntil });
    },
    pauseMs: () => Math.max(0, (current()?.pauseUntil ?? 0) - performance.now()),
  };
}

const isFresh = ({ noticedAt }: Entry): boolean => performance.now() - noticedAt < CONTENDED_MS;

function dropStale(entries: Map<string, Entry>): void {
  for (const [conversationId, entry] of entries) {
    if (isFresh(entry)) return;
    entries.delete(conversationId);
  }
}
