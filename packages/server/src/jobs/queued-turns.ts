import { onAbort } from "@jaf/memory/internal";
import { TurnNotContinuedError, TurnStoreError } from "../turns/turn-errors.ts";
import type { TurnIds } from "../turns/turn-service.ts";
import type { TurnSettings } from "./turn-options.ts";
import type { TurnTaker } from "./turn-taker.ts";

export interface QueuedTurnsOptions<Ctx> {
  readonly settings: TurnSettings<Ctx>;
  readonly taker: TurnTaker;
  readonly isDraining: () => boolean;
}

/** A turn that waits in the log for a worker. */
interface WaitingTurn extends TurnIds {
  readonly userId: string;
  readonly priority?: number | undefined;
}

/** The turns that a queue hands to workers, and this process's work on them. */
export interface QueuedTurns {
  /** Continues a turn from the queue; see `TurnService.continueTurn`. */
  readonly continueTurn: (turn: TurnIds, signal: AbortSignal) => Promise<void>;
  /**
   * Submits a turn, and resolves with whether the queue has it. Reports a failure and never rejects: the search for
   * abandoned turns submits the turn again. `undefined`: there is no queue.
   */
  readonly submit: ((turn: WaitingTurn) => Promise<boolean>) | undefined;
  /** Ends a turn whose stop was requested and that no worker has begun. */
  readonly endStopped: (turn: TurnIds) => Promise<void>;
  /** Takes no more turns from the queue. Resolves once none of them runs in this process. */
  readonly close: () => Promise<void>;
}

export function openQueuedTurns<Ctx>({ settings, taker, isDraining }: QueuedTurnsOptions<Ctx>): QueuedTurns {
  const { log, queue, concurrency, onError } = settings;

  async function continueTurn(turn: TurnIds, signal: AbortSignal): Promise<void> {
    if (isDraining() || signal.aborted) throw new TurnNotContinuedError("this process is shutting down");
    // A queue may deliver the turn again at once, which must not use up the attempts.
    if (taker.isPostponed(turn))
      throw new TurnNotContinuedError("this process couldn't continue it just now");
    const taken = await taker.take(turn);
    if (taken === "left") throw new TurnNotContinuedError("this process can't continue it now");
    if (taken === "held") {
      const read = await log.read({ ...turn, limit: 1 });
      if (!read.success) throw new TurnStoreError(read.error);
      if (read.data?.turn.state !== "running") return;
      throw new TurnNotContinuedError("another process has its lease");
    }
    const stopListening = onAbort(signal, taken.handOver);
    const { kind } = await taken.result.finally(stopListening);
    if (kind !== "ended") throw new TurnNotContinuedError("it goes on in another process");
  }

  const worker =
    queue === undefined || concurrency === 0
      ? undefined
      : queue.work({
          concurrency,
          onError,
          handle: async ({ conversationId, turnId }, signal) => {
            try {
              await continueTurn({ conversationId, turnId }, signal);
            } catch (thrown) {
              if (!(thrown instanceof TurnNotContinuedError)) onError(thrown);
              throw thrown;
            }
          },
        });

  async function endStopped(turn: TurnIds): Promise<void> {
    // A turn that a worker has begun is held, and ends there.
    const taken = await taker.take(turn);
    if (typeof taken === "string" || queue === undefined) return;
    const cancelled = await queue.cancel(turn);
    if (!cancelled.success) onError(cancelled.error);
  }

  return {
    continueTurn,
    submit:
      queue &&
      (async ({ conversationId, turnId, userId, priority = 0 }) => {
        try {
          const submitted = await queue.submit({ conversationId, turnId }, { priority, group: userId });
          if (!submitted.success) onError(submitted.error);
          return submitted.success;
        } catch (thrown) {
          onError(thrown);
          return false;
        }
      }),
    endStopped: (turn) => (queue === undefined ? Promise.resolve() : endStopped(turn).catch(onError)),
    close: async () => worker?.close(),
  };
}
