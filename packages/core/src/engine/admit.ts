import { type ConversationMemory, createFailure, type Result } from "@jaf/memory";
import { DEFAULT_QUEUE_TIMEOUT_MS } from "../memory/config.ts";
import type { Journal } from "../memory/journal.ts";
import { type Place, standInLine } from "../memory/line.ts";
import { loadConversation } from "../memory/load.ts";
import { loadHead, turnConflict, turnUnderWay } from "../memory/turn.ts";
import { abortable, sleep } from "./abort.ts";

const FIRST_LOOK_MS = 10;
const LATEST_LOOK_MS = 250;

/** The way in to a stored conversation, of which one run at a time has the turn. */
export interface Admission {
  /**
   * The conversation, read while no other run had its turn; a conflict if one has and this run doesn't queue, or has
   * queued long enough. Rejects when the run is aborted meanwhile.
   */
  readonly load: () => Promise<Result<ConversationMemory | null>>;
  /** Whether it makes sense to load again after a conflict. */
  readonly mayWait: () => boolean;
  /** Lets the next of this process in. */
  readonly leave: () => void;
}

export function openAdmission(journal: Journal, signal: AbortSignal | undefined): Admission {
  const { memory, conversationId, executionId } = journal;
  const { queueTimeoutMs = DEFAULT_QUEUE_TIMEOUT_MS } = memory;
  const queues = memory.concurrency === "queue";
  const deadline = performance.now() + queueTimeoutMs;
  const msLeft = () => deadline - performance.now();
  let place: Place | undefined;

  /** The front of the line of this process, or the time until which it may be waited for. */
  async function reachFront(): Promise<void> {
    place ??= standInLine(memory.provider, conversationId);
    const over = new AbortController();
    try {
      await abortable(Promise.race([place.first, sleep(Math.max(0, msLeft()), over.signal)]), signal);
    } finally {
      over.abort();
    }
  }

  /** Until the store says that nobody has the turn, or it is too late. */
  async function waitForTurn(): Promise<Result<unknown>> {
    for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(lookMs * 2, LATEST_LOOK_MS)) {
      if (msLeft() <= 0) return createFailure(turnConflict());
      await sleep(Math.min(lookMs * (0.5 + Math.random()), msLeft()), signal);
      if (signal?.aborted === true) throw signal.reason;
      const head = await abortable(loadHead(memory, conversationId), signal);
      if (!head.success || turnUnderWay(head.data, executionId) === undefined) return head;
    }
  }

  return {
    load: async () => {
      if (queues) await reachFront();
      for (;;) {
        const loaded = await abortable(loadConversation(memory, conversationId), signal);
        if (!loaded.success || turnUnderWay(loaded.data, executionId) === undefined) return loaded;
        if (!queues) return createFailure(turnConflict());
        const free = await waitForTurn();
        if (!free.success) return free;
      }
    },
    mayWait: () => queues && msLeft() > 0 && signal?.aborted !== true,
    leave: () => place?.leave(),
  };
}
