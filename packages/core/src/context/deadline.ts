import { abortable, sleep } from "../engine/abort.ts";

export interface Deadline {
  /** Aborted once the time is up, or with the signal that was given. */
  readonly signal: AbortSignal;
  /** Settles as `work` does, or rejects as soon as the signal is aborted. */
  readonly race: <T>(work: Promise<T>) => Promise<T>;
  /** Why the signal is aborted, in our own words. */
  readonly reason: () => string;
  readonly close: () => void;
}

export function openDeadline(milliseconds: number, signal: AbortSignal | undefined): Deadline {
  const over = new AbortController();
  const late = new AbortController();
  void sleep(milliseconds, over.signal).then(() => {
    if (!over.signal.aborted) late.abort(new Error(`it took longer than ${milliseconds} ms`));
  });
  const either = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  return {
    signal: either,
    race: (work) => abortable(work, either),
    reason: () =>
      signal?.aborted === true ? "the run was aborted" : `it took longer than ${milliseconds} ms`,
    close: () => over.abort(),
  };
}
