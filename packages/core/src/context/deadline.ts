import { openTimeLimit, type TimeLimit } from "../timing/time-limit.ts";

export interface Deadline extends Pick<TimeLimit, "signal" | "race" | "close"> {
  /** Why the signal is aborted. */
  readonly reason: () => string;
}

export function openDeadline(milliseconds: number, signal: AbortSignal | undefined): Deadline {
  const option = "RunConfig.memory.summary.timeoutMs";
  const limit = openTimeLimit({ timeoutMs: milliseconds, option }, signal);
  return {
    signal: limit.signal,
    race: (work) => limit.race(work),
    close: () => limit.close(),
    reason: () =>
      limit.exceeded() === undefined ? "the run was aborted" : `it took longer than ${milliseconds} ms`,
  };
}
