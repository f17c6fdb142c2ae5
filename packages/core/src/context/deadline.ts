import { sleep } from "../engine/abort.ts";

export interface Deadline {
  /** Aborted once the time is up, or with the signal that was given. */
  readonly signal: AbortSignal;
  readonly close: () => void;
}

export function openDeadline(milliseconds: number, signal: AbortSignal | undefined): Deadline {
  const over = new AbortController();
  const late = new AbortController();
  void sleep(milliseconds, over.signal).then(() => {
    if (!over.signal.aborted) late.abort(new Error(`it took longer than ${milliseconds} ms`));
  });
  return {
    signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
    close: () => over.abort(),
  };
}
