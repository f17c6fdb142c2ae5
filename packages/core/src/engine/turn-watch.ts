import type { Result } from "@jaf/memory";
import { createFailure, createSuccess } from "@jaf/memory/engine";
import type { Journal } from "../memory/journal.ts";
import { loadHead } from "../memory/load.ts";
import type { Head } from "../memory/loaded.ts";
import { incarnationConflict, turnConflict, turnUnderWay } from "../memory/turn.ts";
import { abortable, sleep } from "../timing/abort.ts";

const FIRST_LOOK_MS = 10;
const LATEST_LOOK_MS = 250;

/** How often a run must have come too late until it looks twice as often. */
const LATE_UNTIL_TWICE_AS_OFTEN = 4;

/** A store that takes long to answer is left in peace for this many times as long. */
const PEACE = 4;

export interface Waiting {
  readonly signal: AbortSignal | undefined;
  /** Until the run has waited long enough. */
  readonly msLeft: () => number;
  /** Whether the conversation is still the one that the run saw first. */
  readonly isSame: (head: Head) => boolean;
}

/** A run's looking out for its turn. Everything in it rejects when the run is aborted. */
export interface TurnWatch {
  /** Resolves when the store says that nobody has the turn; a conflict if it is too late, or the conversation was erased. */
  readonly untilFree: () => Promise<Result<void>>;
  /** The turn was free, and another run was faster. Resolves when it makes sense to look again. */
  readonly cameTooLate: () => Promise<void>;
  /** Whether any other run was seen to have the turn. */
  readonly isContended: () => boolean;
}

/** Resolves after that time; rejects when the run is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, signal);
  if (signal?.aborted === true) throw signal.reason;
}

const jitter = (): number => 0.5 + Math.random();

export function openTurnWatch(journal: Journal, { signal, msLeft, isSame }: Waiting): TurnWatch {
  const { memory, conversationId, executionId } = journal;
  let seen: string | undefined;
  let late = 0;
  let lookMs = FIRST_LOOK_MS;

  /** A long turn is looked at ever more seldom; when another takes its place, the next may end soon. */
  function note(turnId: string): void {
    if (seen !== undefined && seen !== turnId) late += 1;
    lookMs = seen === turnId ? Math.min(lookMs * 2, LATEST_LOOK_MS) : FIRST_LOOK_MS;
    seen = turnId;
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
      note(turn.id);
      const dueMs = lookMs / (1 + late / LATE_UNTIL_TWICE_AS_OFTEN);
      const politeMs = Math.min((performance.now() - askedAt) * PEACE, LATEST_LOOK_MS);
      await pause(Math.min(Math.max(dueMs, politeMs) * jitter(), msLeft()), signal);
    }
  }

  return {
    untilFree,
    cameTooLate: async () => {
      late += 1;
      await pause(FIRST_LOOK_MS * jitter(), signal);
    },
    isContended: () => seen !== undefined || late > 0,
  };
}
