import { onAbort } from "@jaf/memory/adapter";
import { MAX_TIMER_MS } from "./abort.ts";

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
  const controller = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const racing = openRejections();
  const inTime = openRejections();
  let error: TimeLimitError | undefined;

  function start({ timeoutMs, option }: Limit): NodeJS.Timeout | undefined {
    if (timeoutMs === Number.POSITIVE_INFINITY || controller.signal.aborted) return undefined;
    const expire = () => {
      error = new TimeLimitError(timeoutMs, option);
      // Before the signal: what gives up at that must not be taken for an answer in time.
      inTime.reject(error);
      end(error);
    };
    const timer = setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS));
    timers.push(timer);
    return timer;
  }
  function stop(): void {
    for (const timer of timers.splice(0)) clearTimeout(timer);
  }
  function end(reason: unknown): void {
    stop();
    racing.reject(reason);
    controller.abort(reason);
  }

  start(limit);
  const unfollow = signal && onAbort(signal, () => end(signal.reason));
  return {
    signal: controller.signal,
    race: racing.race,
    inTime: inTime.race,
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

/** What waits for something that may be given up. By hand: signals and their listeners cost more than all the rest. */
function openRejections() {
  const waiting = new Set<(reason: unknown) => void>();
  let rejected: { readonly reason: unknown } | undefined;
  return {
    reject: (reason: unknown): void => {
      rejected = { reason };
      for (const reject of waiting) reject(reason);
      waiting.clear();
    },
    race: <T>(work: T | PromiseLike<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        if (rejected === undefined) waiting.add(reject);
        else reject(rejected.reason);
        Promise.resolve(work).then(
          (value) => {
            waiting.delete(reject);
            resolve(value);
          },
          (thrown: unknown) => {
            waiting.delete(reject);
            reject(thrown);
          },
        );
      }),
  };
}
