import { onAbort } from "./on-abort.ts";

/** Waits that end together. */
export interface Waits {
  /** Whether the signal has aborted or {@link Waits.end} was called. */
  readonly ended: () => boolean;
  /** Ends early as well, also when `signal` aborts. The timer keeps the process alive, as pending work does. */
  readonly wait: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  /** Ends all waits, now and later. */
  readonly end: () => void;
}

export function createWaits(signal: AbortSignal | undefined): Waits {
  const waiting = new Set<() => void>();
  let closed = false;
  const wake = () => {
    for (const stop of waiting) stop();
  };
  return {
    ended: () => closed || signal?.aborted === true,
    wait: (delayMs, own) =>
      new Promise((resolve) => {
        // Only while something waits: a signal may outlive many of these.
        const unlisten: (() => void)[] = [];
        const stop = () => {
          clearTimeout(timer);
          waiting.delete(stop);
          for (const take of unlisten) take();
          resolve();
        };
        const timer = setTimeout(stop, delayMs);
        waiting.add(stop);
        for (const each of [signal, own]) if (each !== undefined) unlisten.push(onAbort(each, stop));
      }),
    end: () => {
      closed = true;
      wake();
    },
  };
}
