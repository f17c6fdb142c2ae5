/** Waits that end together. */
export interface Waits {
  /** Whether the signal has aborted or {@link Waits.end} was called. */
  readonly ended: () => boolean;
  /** Ends early as well. The timer keeps the process alive, as pending work does. */
  readonly wait: (delayMs: number) => Promise<void>;
  /** Ends all waits, now and later. */
  readonly end: () => void;
}

export function createWaits(signal: AbortSignal | undefined): Waits {
  const waiting = new Set<() => void>();
  let closed = false;
  const wake = () => {
    for (const stop of waiting) stop();
  };
  // Only while something waits, and one for all: a signal may outlive many of these.
  const listen = () => signal?.addEventListener("abort", wake);
  const unlisten = () => signal?.removeEventListener("abort", wake);
  return {
    ended: () => closed || signal?.aborted === true,
    wait: (delayMs) =>
      new Promise((resolve) => {
        const stop = () => {
          clearTimeout(timer);
          waiting.delete(stop);
          if (waiting.size === 0) unlisten();
          resolve();
        };
        const timer = setTimeout(stop, delayMs);
        if (waiting.size === 0) listen();
        waiting.add(stop);
      }),
    end: () => {
      closed = true;
      wake();
    },
  };
}
