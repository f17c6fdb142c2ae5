import type { Result } from "@jaf/memory";
import { createFailure, createSuccess } from "@jaf/memory/engine";
import { incarnationConflict, turnConflict, turnUnderWay } from "../memory/current-turn.ts";
import { loadHead } from "../memory/load.ts";
import type { Head } from "../memory/loaded.ts";
import type { Journal } from "../memory/run-journal.ts";
import { abortable, sleep } from "../timing/abort.ts";

const FIRST_POLL_MS = 10;
const LONGEST_POLL_MS = 250;

/** After losing the turn this many times, a run polls twice as often. */
const LOST_RACES_UNTIL_TWICE_AS_OFTEN = 4;

/** A slow store is polled at intervals of at least this many times its answer time. */
const BACKOFF_FACTOR = 4;

export interface PollOptions {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds until the run gives up waiting. */
  readonly msLeft: () => number;
  /** Whether the conversation is still the one that the run saw first. */
  readonly isSame: (head: Head) => boolean;
}

/** Polls the store until the turn is free. Its promises reject when the run is aborted. */
export interface TurnPoller {
  /** Resolves when no run has the turn; with a conflict if the time is up, or the conversation was erased. */
  readonly untilFree: () => Promise<Result<void>>;
  /** To be called when the turn was free and another run was faster. Resolves when it is time to poll again. */
  readonly lostRace: () => Promise<void>;
  /** Whether another run was seen to have the turn. */
  readonly isContended: () => boolean;
}

/** Resolves after that time; rejects when the run is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, signal);
  if (signal?.aborted === true) throw signal.reason;
}

const jitter = (): number => 0.5 + Math.random();

export function openTurnPoller(journal: Journal, { signal, msLeft, isSame }: PollOptions): TurnPoller {
  const { memory, conversationId, executionId } = journal;
  let lastSeen: string | undefined;
  let lostRaces = 0;
  let pollMs = FIRST_POLL_MS;

  /** The interval grows during one long turn, and starts again when another run has the turn. */
  function observe(turnId: string): void {
    if (lastSeen !== undefined && lastSeen !== turnId) lostRaces += 1;
    pollMs = lastSeen === turnId ? Math.min(pollMs * 2, LONGEST_POLL_MS) : FIRST_POLL_MS;
    lastSeen = turnId;
  }

  async function untilFree(): Promise<Result<void>> {
    for (;;) {
      const askedAt = performance.now();
      const head = await abortable(loadHead(memory, conversationId, { signal }), signal);
      if (!head.success) return head;
      if (!isSame(head.data)) return createFailure(incarnationConflict());
      const turn = turnUnderWay(head.data, executionId);
      if (turn === undefined) return createSuccess(undefined);
      if (msLeft() <= 0) return createFailure(turnConflict());
      observe(turn.id);
      const dueMs = pollMs / (1 + lostRaces / LOST_RACES_UNTIL_TWICE_AS_OFTEN);
      const backoffMs = Math.min((performance.now() - askedAt) * BACKOFF_FACTOR, LONGEST_POLL_MS);
      await pause(Math.min(Math.max(dueMs, backoffMs) * jitter(), msLeft()), signal);
    }
  }

  return {
    untilFree,
    lostRace: async () => {
      lostRaces += 1;
      await pause(FIRST_POLL_MS * jitter(), signal);
    },
    isContended: () => lastSeen !== undefined || lostRaces > 0,
  };
}
