import type { Result } from "@jaf/memory";
import { createFailure, createSuccess } from "@jaf/memory/engine";
import { DEFAULT_QUEUE_TIMEOUT_MS } from "../memory/config.ts";
import { incarnationConflict, turnConflict, turnUnderWay } from "../memory/current-turn.ts";
import { type LoadOptions, loadConversation, loadHead } from "../memory/load.ts";
import type { Head, Loaded } from "../memory/loaded.ts";
import { enqueue, type QueuePosition } from "../memory/process-queue.ts";
import type { Journal } from "../memory/run-journal.ts";
import { endingOf } from "../memory/stored-ending.ts";
import type { Tail } from "../memory/tail-reading.ts";
import { turnFairness } from "../memory/turn-fairness.ts";
import { abortable, sleep } from "../timing/abort.ts";
import { openTurnPoller, type PollOptions, pause } from "./turn-poller.ts";

type Loading = Result<Loaded>;

/** Waits for the turn of a stored conversation, which one run at a time has, and loads the conversation. */
export interface TurnAccess {
  /**
   * The conversation, read while no other run has its turn. A conflict if another run has the turn and this one
   * doesn't queue or its time in the queue is up, and if the conversation was erased meanwhile. Rejects when the run is
   * aborted meanwhile. `tail`: how to read the end of the conversation, where that is enough; absent: all of it is read.
   * `isReread`: it is read a second time in the turn that this run was given.
   */
  readonly load: (tail: Tail | undefined, isReread: boolean) => Promise<Loading>;
  /** Whether the run may load again after a conflict. */
  readonly mayWait: () => boolean;
  /** Leaves the queue: the next run of this process is first. */
  readonly leave: () => void;
}

export const openTurnAccess = (journal: Journal, signal: AbortSignal | undefined): TurnAccess =>
  journal.memory.concurrency === "queue"
    ? openQueue(journal, signal)
    : {
        load: async (tail) => (await loadFree(journal, { signal, tail })) ?? createFailure(turnConflict()),
        mayWait: () => false,
        leave: () => {},
      };

/** `undefined` if another run has the turn. */
async function loadFree(
  { memory, conversationId, executionId, runKey }: Journal,
  { signal, tail }: Pick<LoadOptions, "signal" | "tail">,
): Promise<Loading | undefined> {
  const loaded = await abortable(
    loadConversation(memory, conversationId, { signal, tail, receiptFor: runKey }),
    signal,
  );
  if (!loaded.success || turnUnderWay(loaded.data, executionId) === undefined) return loaded;
  // A run whose reply is stored needs no turn.
  return endingOf(loaded.data)?.kind === "replied" ? loaded : undefined;
}

/** Resolves when the run is first in the queue of this process, or when its time is up. */
async function waitForFront({ ready }: QueuePosition, { signal, msLeft }: PollOptions): Promise<void> {
  if (ready === undefined) return;
  const over = new AbortController();
  try {
    await abortable(Promise.race([ready, sleep(Math.max(0, msLeft()), over.signal)]), signal);
  } finally {
    over.abort();
  }
}

function openQueue(journal: Journal, signal: AbortSignal | undefined): TurnAccess {
  const { memory, conversationId } = journal;
  const { provider, queueTimeoutMs = DEFAULT_QUEUE_TIMEOUT_MS } = memory;
  const deadline = performance.now() + queueTimeoutMs;
  const msLeft = () => deadline - performance.now();
  const fairness = turnFairness(provider, conversationId);
  const identity = openIdentity();
  const pollOptions = { signal, msLeft, isSame: identity.isSame };
  const poller = openTurnPoller(journal, pollOptions);
  let position: QueuePosition | undefined;
  let acquiredAt: number | undefined;

  /** Joins the queue. A run that has to wait looks first which conversation it is, to notice if it is erased meanwhile. */
  async function queue(): Promise<Result<unknown>> {
    position = enqueue(provider, conversationId);
    const head =
      position.ready === undefined
        ? createSuccess(undefined)
        : await abortable(loadHead(memory, conversationId, { signal }), signal);
    if (head.success && head.data !== undefined) identity.isSame(head.data);
    if (head.success) await waitForFront(position, pollOptions);
    return head;
  }

  /** Lets other processes take the turn where that is fair. Whether one of them may have it now. */
  async function yieldTurn(): Promise<boolean> {
    if (acquiredAt !== undefined) {
      acquiredAt = undefined;
      await poller.lostRace();
      return true;
    }
    const pauseMs = fairness.pauseMs();
    if (pauseMs > 0) await pause(Math.min(pauseMs, msLeft() / 2), signal);
    return pauseMs > 0;
  }

  return {
    load: async (tail, isReread) => {
      const queued = position === undefined ? await queue() : undefined;
      if (queued?.success === false) return queued;
      const mustPoll = !isReread && (await yieldTurn());
      // Reading the head costs less than reading the conversation in vain.
      for (let polls = mustPoll; ; polls = true) {
        const free = polls ? await poller.untilFree() : undefined;
        if (free?.success === false) return free;
        const loaded = await loadFree(journal, { signal, tail });
        if (loaded === undefined) continue;
        if (loaded.success && !identity.isSame(loaded.data)) return createFailure(incarnationConflict());
        acquiredAt = performance.now();
        return loaded;
      }
    },
    mayWait: () => msLeft() > 0 && signal?.aborted !== true,
    leave: () => {
      const contended = poller.isContended();
      if (acquiredAt !== undefined) fairness.ended({ heldMs: performance.now() - acquiredAt, contended });
      position?.leave();
    },
  };
}

/** What a run has seen of a conversation's identity. */
interface Identity {
  /**
   * Whether this is still what was seen before, as far as the store tells: the same conversation, none as before, or a new one
   * where there was none. If not, it was erased meanwhile.
   */
  readonly isSame: (head: Head) => boolean;
}

/** What a waiting run was given before an erasure must not get into the conversation that begins after it. */
function openIdentity(): Identity {
  let seen: { readonly exists: boolean; readonly incarnation: string | undefined } | undefined;
  return {
    isSame: ({ conversation, incarnation }) => {
      const before = seen;
      seen = { exists: conversation !== null, incarnation };
      if (before?.incarnation === undefined || incarnation === undefined) return true;
      return before.incarnation === incarnation || (!before.exists && seen.exists);
    },
  };
}
