import type { ErasureMark } from "../erasure-mark.ts";

/** A turn whose facts are still to be extracted. */
export interface ExtractionJob {
  /** Names the turn: the same turn is never twice in the queue. */
  readonly id: string;
  readonly userId: string;
  /** What the user said, oldest first. */
  readonly said: readonly string[];
  /** What was replied: context, and never a source. */
  readonly reply: string;
  /** What the assistant had asked last before. */
  readonly question?: string | undefined;
  /** Whether the user's message before announced somebody else's text. */
  readonly isAnnounced?: boolean | undefined;
  /** All that the user said is quoted, and no model is asked. */
  readonly isVerbatim?: boolean | undefined;
  readonly conversationId?: string | undefined;
  /** Index of the first of `said` in its conversation, from 0. */
  readonly position?: number | undefined;
  /** When the turn began. */
  readonly saidAt: Date;
  readonly tags: readonly string[];
  /** The model that is to extract; absent: the agent's. */
  readonly model?: string | undefined;
  /** Facts with a lower score are dropped. */
  readonly threshold: number;
  /** Taken when the turn began. */
  readonly since: ErasureMark;
}

/** A job that is handed to one worker, until the lease is over. */
export interface LeasedJob {
  readonly job: ExtractionJob;
  /** How often it was handed out, from 1. */
  readonly attempt: number;
  /** Ends the lease: the job is done. */
  readonly complete: () => Promise<void>;
  /**
   * Ends the lease: the job is handed out again, not before `delayMs` have passed. Renews it where the caller goes on. Whole
   * milliseconds up to 30 days.
   */
  readonly release: (delayMs: number) => Promise<void>;
}

/**
 * Turns that wait to be extracted. Where `durable` is true they outlive the process, and another one takes over what a
 * crash left. Delivered at least once: what is extracted twice is remembered once.
 */
export interface ExtractionQueue {
  readonly durable: boolean;
  /**
   * Adds a job and hands it to the caller at once, without the sentences that hold secrets. `null`: the turn is in the queue
   * already, the user asked in it that something isn't kept, or the user's memory was erased since the turn began. `leaseMs`: whole milliseconds up to 30 days.
   */
  enqueue(job: ExtractionJob, options: { readonly leaseMs: number }): Promise<LeasedJob | null>;
  /** Hands out jobs that nobody works on, of any user, the oldest first. */
  lease(options: { readonly limit: number; readonly leaseMs: number }): Promise<LeasedJob[]>;
  /** How many jobs there are, handed out or not. */
  size(): Promise<number>;
}
