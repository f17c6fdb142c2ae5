import type { Message } from "@jaf/memory";

export interface SummarizeInput {
  /** The summary so far, which the new one replaces; absent for the first. */
  readonly previous?: string;
  /** What was said since, oldest first, each call with its results. */
  readonly messages: readonly Message[];
  /** Aborted with the run, and when the time is up. */
  readonly signal: AbortSignal;
}

/** Makes one summary of the one before and of what was said since. */
export type Summarize = (input: SummarizeInput) => Promise<string>;
