import { onAbort } from "@jaf/memory/internal";
import type { JAFError } from "../errors.ts";
import { textOfThrown } from "../thrown.ts";

/** The longest delay of a timer. Node.js fires timers with a longer delay immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Settles like `work`, or rejects as soon as the signal is aborted. Check `signal.aborted` to tell these rejections
 * apart.
 */
export function abortable<T>(work: T | PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return Promise.resolve(work);
  return new Promise<T>((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => reject(signal.reason));
    Promise.resolve(work).then(
      (value) => {
        unsubscribe();
        resolve(value);
      },
      (thrown: unknown) => {
        unsubscribe();
        reject(thrown);
      },
    );
  });
}

/** Resolves after the delay, or immediately when the signal is aborted. Never rejects. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const wake = () => {
      clearTimeout(timer);
      unsubscribe?.();
      resolve();
    };
    const timer = setTimeout(wake, Math.min(milliseconds, MAX_TIMER_MS));
    const unsubscribe = signal && onAbort(signal, wake);
  });
}

export const runAborted = (signal: AbortSignal | undefined): JAFError => ({
  _tag: "RunAborted",
  reason: textOfThrown(signal?.reason),
});

/** Returns the error `RunAborted` if the signal is aborted; otherwise `undefined`. */
export const abortError = (signal: AbortSignal | undefined): JAFError | undefined =>
  signal?.aborted === true ? runAborted(signal) : undefined;
