import type { JAFError } from "../errors.ts";
import { textOfThrown } from "../thrown.ts";

/** The longest time that a timer can wait; it takes a longer one for none at all. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Settles as `work` does, or rejects as soon as the signal is aborted. Ask `signal.aborted` which it was. */
export function abortable<T>(work: T | PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return Promise.resolve(work);
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const settle = () => signal.removeEventListener("abort", onAbort);
    Promise.resolve(work).then(
      (value) => {
        settle();
        resolve(value);
      },
      (thrown: unknown) => {
        settle();
        reject(thrown);
      },
    );
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Resolves after that time, or at once when the signal is aborted. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, Math.min(milliseconds, MAX_TIMER_MS));
    signal?.addEventListener("abort", wake, { once: true });
  });
}

export const runAborted = (signal: AbortSignal | undefined): JAFError => ({
  _tag: "RunAborted",
  reason: textOfThrown(signal?.reason),
});

/** `undefined` while the run may go on. */
export const abortError = (signal: AbortSignal | undefined): JAFError | undefined =>
  signal?.aborted === true ? runAborted(signal) : undefined;
