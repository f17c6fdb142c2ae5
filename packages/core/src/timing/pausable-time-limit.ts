import { onAbort } from "@jaf/memory/engine";
import { abortable, MAX_TIMER_MS } from "./abort.ts";
import { type Limit, TimeLimitError } from "./time-limit.ts";

/** A time limit for code of the application that can be paused while the code waits for something that has its own limit. */
export interface PausableTimeLimit {
  /** Aborted with the outer signal, when the time is up, and by `close`. */
  readonly signal: AbortSignal;
  /** Settles as `work` does, or rejects as soon as `signal` is aborted. */
  readonly race: <T>(work: Promise<T>) => Promise<T>;
  /** Stops the time until `resume`. */
  readonly pause: () => void;
  /** Starts the whole time again. */
  readonly resume: () => void;
  /** The error if the time was up. */
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
