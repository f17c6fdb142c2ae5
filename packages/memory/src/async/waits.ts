import { onAbort } from "./on-abort.ts";

/** Waits that can all be ended at once. */
export interface Waits {
  /** Whether the signal has aborted or {@link Waits.end} was called. */
  readonly ended: () => boolean;
  /**
   * Resolves after the delay, or when all waits end or `signal` aborts. The timer keeps the process alive, as pending work
   * does.
   */
  readonly wait: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  /** Ends all waits, now and later. */
  readonly end: () => void;
}

export function createWaits(signal: AbortSignal | undefined): Waits {
  const waiting = new Set<() => void>();
  let closed = false;
  const stopAll = () => {
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
          for (const remove of unlisten) remove();
          resolve();
        };
        const timer = setTimeout(stop, delayMs);
        waiting.add(stop);
        for (const each of [signal, own]) if (each !== undefined) unlisten.push(onAbort(each, stop));
      }),
    end: () => {
      closed = true;
      stopAll();
    },
  };
}
