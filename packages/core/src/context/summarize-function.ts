import type { Message } from "@jaf/memory";

export interface SummarizeInput {
  /** The previous summary, which the new one replaces. Absent for the first. */
  readonly previous?: string;
  /** The messages since, the oldest first, each call with its results. */
  readonly messages: readonly Message[];
  /** Aborted with the run, and when `memory.summary.timeoutMs` is over. */
  readonly signal: AbortSignal;
}

/** Makes a summary of the previous one and the messages since. */
export type Summarize = (input: SummarizeInput) => Promise<string>;
