import { onAbort } from "@jaf/memory/engine";
import { abortable, MAX_TIMER_MS } from "./abort.ts";
import { type Limit, TimeLimitError } from "./time-limit.ts";

/** How long code of the application's may take by itself, while it waits for nothing that is limited by itself. */
export interface PausableTimeLimit {
  /** Aborted with the signal that was given, when the time is up, and at the end. */
  readonly signal: AbortSignal;
  /** Settles as `work` does, or rejects as soon as `signal` is aborted. */
  readonly race: <T>(work: Promise<T>) => Promise<T>;
  /** The time doesn't count until `resume`. */
  readonly pause: () => void;
  /** It begins anew. */
  readonly resume: () => void;
  /** Absent: the time wasn't up. */
  readonly exceeded: () => TimeLimitError | undefined;
  /** Has to be called at the end. */
  readonly close: () => void;
}

// One for all calls: its stack, which is what makes an error costly, would tell nothing.
const OVER = new Error("the call is over");

/** Begins to count. */
export function openPausableTimeLimit(
  { timeoutMs, option }: Limit,
  outer: AbortSignal | undefined,
): PausableTimeLimit {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let error: TimeLimitError | undefined;
  const pause = () => clearTimeout(timer);
  const resume = () => {
    pause();
    if (timeoutMs === Number.POSITIVE_INFINITY || signal.aborted) return;
    timer = setTimeout(
      () => {
        error = new TimeLimitError(timeoutMs, option);
        controller.abort(error);
      },
      Math.min(timeoutMs, MAX_TIMER_MS),
    );
  };
  const unsubscribe = outer && onAbort(outer, () => controller.abort(outer.reason));
  resume();
  return {
    signal,
    race: (work) => abortable(work, signal),
    pause,
    resume,
    exceeded: () => error,
    close: () => {
      pause();
      unsubscribe?.();
      controller.abort(OVER);
    },
  };
}
