import { onAbort } from "@jaf/memory/internal";

/** Waits for `ms` milliseconds, or until the signal is aborted. Never rejects. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const unsubscribe = onAbort(signal, () => done());
    const timer = setTimeout(() => done(), ms);
    function done(): void {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    }
  });
