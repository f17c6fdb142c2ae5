import type { Result } from "@jaf/memory";
import { createFailure, createSuccess } from "@jaf/memory/engine";
import { DEFAULT_QUEUE_TIMEOUT_MS } from "../memory/config.ts";
import type { ConversationEnd } from "../memory/end-cache.ts";
import { endingOf } from "../memory/ending.ts";
import { openIdentity } from "../memory/identity.ts";
import type { Journal } from "../memory/journal.ts";
import { type Place, standInLine } from "../memory/line.ts";
import { type LoadOptions, loadConversation, loadHead } from "../memory/load.ts";
import type { Loaded } from "../memory/loaded.ts";
import { ownTurns } from "../memory/own-turns.ts";
import type { Tail } from "../memory/tail.ts";
import { incarnationConflict, turnConflict, turnUnderWay } from "../memory/turn.ts";
import { abortable, sleep } from "../timing/abort.ts";
import { openTurnWatch, pause, type Waiting } from "./turn-watch.ts";

type Loading = Result<Loaded>;

interface AdmissionOptions {
  readonly isAdmitted: boolean;
  /** What this process knows of the conversation's end. */
  readonly end: ConversationEnd | undefined;
  /** Taken for what is stored, if nobody has to be waited for. */
  readonly assumed: Loaded | undefined;
}

/** The way in to a stored conversation, of which one run at a time has the turn. */
export interface Admission {
  /**
   * The conversation, read or `assumed` while no other run had its turn; a conflict if one has and this run doesn't queue, or has
   * queued long enough, and if the conversation was erased while this run queued. Rejects when the run is aborted
   * meanwhile. `tail` says how to read the end of it, where that is enough for the run; absent: all is read. `isAdmitted`:
   * it is read once more, and the turn wasn't lost meanwhile.
   */
  readonly load: (tail: Tail | undefined, options: AdmissionOptions) => Promise<Loading>;
  /** Whether it makes sense to load again after a conflict. */
  readonly mayWait: () => boolean;
  /** Lets the next of this process in. */
  readonly leave: () => void;
}

export const openAdmission = (journal: Journal, signal: AbortSignal | undefined): Admission =>
  journal.memory.concurrency === "queue"
    ? openQueue(journal, signal)
    : {
        load: async (tail, { end, assumed }) => {
          if (assumed !== undefined) return createSuccess(assumed);
          return (await loadFree(journal, { signal, tail, end })) ?? createFailure(turnConflict());
        },
        mayWait: () => false,
        leave: () => {},
      };

/** `undefined` if another run has the turn. */
async function loadFree(
  { memory, conversationId, executionId, runKey, foundOutdated }: Journal,
  { signal, tail, end }: Pick<LoadOptions, "signal" | "tail" | "end">,
): Promise<Loading | undefined> {
  const loaded = await abortable(
    loadConversation(memory, conversationId, {
      signal,
      tail,
      end,
      receiptFor: runKey,
      onChanged: foundOutdated,
    }),
    signal,
  );
  if (!loaded.success || turnUnderWay(loaded.data, executionId) === undefined) return loaded;
  // Whose reply is stored needs no turn.
  return endingOf(loaded.data)?.kind === "replied" ? loaded : undefined;
}

/** The front of the line of this process, or the time until which it may be waited for. */
async function reachFront({ first }: Place, { signal, msLeft }: Waiting): Promise<void> {
  if (first === undefined) return;
  const over = new AbortController();
  try {
    await abortable(Promise.race([first, sleep(Math.max(0, msLeft()), over.signal)]), signal);
  } finally {
    over.abort();
  }
}

function openQueue(journal: Journal, signal: AbortSignal | undefined): Admission {
  const { memory, conversationId } = journal;
  const { provider, queueTimeoutMs = DEFAULT_QUEUE_TIMEOUT_MS } = memory;
  const deadline = performance.now() + queueTimeoutMs;
  const msLeft = () => deadline - performance.now();
  const turns = ownTurns(provider, conversationId);
  const identity = openIdentity();
  const waiting = { signal, msLeft, isSame: identity.isSame };
  const watch = openTurnWatch(journal, waiting);
  let place: Place | undefined;
  let admittedAt: number | undefined;

  /** Takes a place in line. Who has to wait there sees first what it is that must not be erased meanwhile. */
  async function queue(): Promise<Result<unknown>> {
    place = standInLine(provider, conversationId);
    const head =
      place.first === undefined
        ? createSuccess(undefined)
        : await abortable(loadHead(memory, conversationId, { signal }), signal);
    if (head.success && head.data !== undefined) identity.isSame(head.data);
    if (head.success) await reachFront(place, waiting);
    return head;
  }

  /** Leaves the turn to others where that is their due. Whether one of them may have it now. */
  async function giveWay(): Promise<boolean> {
    if (admittedAt !== undefined) {
      admittedAt = undefined;
      await watch.cameTooLate();
      return true;
    }
    const pauseMs = turns.pauseMs();
    if (pauseMs > 0) await pause(Math.min(pauseMs, msLeft() / 2), signal);
    return pauseMs > 0;
  }

  return {
    load: async (tail, { isAdmitted, end, assumed }) => {
      const queued = place === undefined ? await queue() : undefined;
      if (queued?.success === false) return queued;
      const mustLook = !isAdmitted && (await giveWay());
      if (assumed !== undefined && !mustLook && place?.first === undefined) {
        admittedAt = performance.now();
        return createSuccess(assumed);
      }
      // A look costs less than loading in vain.
      for (let look = mustLook; ; look = true) {
        const free = look ? await watch.untilFree() : undefined;
        if (free?.success === false) return free;
        const loaded = await loadFree(journal, { signal, tail, end: look ? undefined : end });
        if (loaded === undefined) continue;
        if (loaded.success && !identity.isSame(loaded.data)) return createFailure(incarnationConflict());
        admittedAt = performance.now();
        return loaded;
      }
    },
    mayWait: () => msLeft() > 0 && signal?.aborted !== true,
    leave: () => {
      const contended = watch.isContended();
      if (admittedAt !== undefined) turns.left({ heldMs: performance.now() - admittedAt, contended });
      place?.leave();
    },
  };
}
