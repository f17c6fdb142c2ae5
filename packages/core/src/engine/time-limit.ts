import { onAbort } from "@jaf/memory/adapter";
import { abortable, MAX_TIMER_MS } from "./abort.ts";

/** What took too long. Its name and code are those that model providers' policies take for a timeout. */
export class TimeLimitError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "ETIMEDOUT";
  readonly timeoutMs: number;
  /** `option`: where the limit is set. */
  constructor(timeoutMs: number, option: string) {
    super(`No answer within ${timeoutMs} ms (${option})`);
    this.timeoutMs = timeoutMs;
  }
}

/** How long something may take. */
export interface Limit {
  /** From 1; `Infinity` for no limit. */
  readonly timeoutMs: number;
  /** Where it is set, e.g. `"RunConfig.toolTimeoutMs"`. */
  readonly option: string;
}

export interface TimeLimit {
  /** For what is limited: aborted once a time is up, or with the signal that was given. */
  readonly signal: AbortSignal;
  /** Settles as `work` does, or rejects as soon as `signal` is aborted. */
  readonly race: <T>(work: T | PromiseLike<T>) => Promise<T>;
  /** Settles as `work` does, or rejects when a time is up. After an abort it may take its time. */
  readonly inTime: <T>(work: T | PromiseLike<T>) => Promise<T>;
  /** Also limits the time between two calls of what it returns, and until the first. */
  readonly between: (limit: Limit) => () => void;
  /** Absent: no time was up. */
  readonly exceeded: () => TimeLimitError | undefined;
  /** Has to be called at the end. */
  readonly close: () => void;
}

/** Begins to count. */
export function openTimeLimit(limit: Limit, signal: AbortSignal | undefined): TimeLimit {
  const late = new AbortController();
  const either = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let error: TimeLimitError | undefined;

  function start({ timeoutMs, option }: Limit): NodeJS.Timeout | undefined {
    if (timeoutMs === Number.POSITIVE_INFINITY || either.signal.aborted) return undefined;
    const expire = () => {
      stop();
      error = new TimeLimitError(timeoutMs, option);
      // First this one: what gives up at the other signal must not be taken for an answer in time.
      late.abort(error);
      either.abort(error);
    };
    const timer = setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS));
    timers.push(timer);
    return timer;
  }
  function stop(): void {
    for (const timer of timers.splice(0)) clearTimeout(timer);
  }

  start(limit);
  const unfollow =
    signal &&
    onAbort(signal, () => {
      stop();
      either.abort(signal.reason);
    });
  return {
    signal: either.signal,
    race: (work) => abortable(work, either.signal),
    inTime: (work) => abortable(work, late.signal),
    between: (each) => {
      const timer = start(each);
      return () => void (timers.length > 0 && timer?.refresh());
    },
    exceeded: () => error,
    close: () => {
      stop();
      unfollow?.();
    },
  };
}
