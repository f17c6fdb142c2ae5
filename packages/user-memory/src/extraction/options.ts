import * as z from "zod";
import type { ProposedFact } from "../evidence/evidence.ts";
import type { UserFact } from "../fact.ts";
import { callback } from "../options.ts";
import type { MemoryEntry, UserMemory } from "../user-memory.ts";

/** A turn to extract facts from. */
export interface ExtractInput {
  readonly userId: string;
  /** What the user said, oldest first: the only source. */
  readonly said: readonly string[];
  /** What was replied: context. */
  readonly reply: string;
  /** What the assistant had asked last before: context. */
  readonly question?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Aborted when it takes too long. */
  readonly signal: AbortSignal;
}

/**
 * Proposes facts; `{ private: true }`: the user wants nothing of the turn kept. What it rejects with is tried again, a few
 * times.
 */
export type ExtractFacts = (
  input: ExtractInput,
) => Promise<readonly ProposedFact[] | { readonly private: true }>;

/**
 * Whether the evidence, words of the user's, bears out a fact as a model worded it. `question`: what they answer, if they are
 * short. What it rejects with counts as no.
 */
export type VerifyFact = (
  fact: string,
  evidence: string,
  context: { readonly question?: string | undefined },
) => boolean | Promise<boolean>;

/** What became of the proposals of one turn. */
export interface ExtractionReport {
  readonly userId: string;
  readonly conversationId?: string | undefined;
  /** How many facts were proposed; several may point at the same words. 0 where all is quoted. */
  readonly proposed: number;
}

/** A turn of which nothing is kept, as the user asked for that. It says nothing of what was said. */
export interface OffRecordTurn {
  readonly userId: string;
  readonly conversationId?: string | undefined;
  /** Index of the user's message, or the first of several, in its conversation, from 0. */
  readonly position?: number | undefined;
  /** `"check"`: the check of this package. `"extractor"`: the model that extracts, or the application's own function. */
  readonly detectedBy: "check" | "extractor";
}

/** Options of extraction, in a run or in a worker. */
export interface ExtractionOptions {
  /** Proposes the facts instead of a model. */
  readonly extract?: ExtractFacts | undefined;
  /**
   * Says whether the user's words bear a fact out. One that they do is remembered as it is worded, `inferred`, in place of the
   * quotation. Default: nothing is, and the user's words are quoted.
   */
  readonly verify?: VerifyFact | undefined;
  /** How many quotations and facts are kept of a turn at most, the surest first. Default 50. */
  readonly maxFacts?: number | undefined;
  /**
   * Told what was stored, for a log: also what waits for review, see `UserFact.status`. Not called for nothing. A job that is
   * done twice, after a crash, is told twice. What it throws is ignored.
   */
  readonly onExtracted?:
    | ((entries: readonly (MemoryEntry | UserFact)[], report: ExtractionReport) => unknown)
    | undefined;
  /**
   * Told that the user asked for something not to be kept, so that nothing of the turn is: for a sign beside the message, or for
   * logs of the application's own that are to heed it, too. The check tells before the run is over, the extractor later. A job
   * that is done twice, after a crash, is told twice. What it throws is ignored.
   */
  readonly onOffRecord?: ((turn: OffRecordTurn) => unknown) | undefined;
  /**
   * Told what failed: an `ExtractionError`, or what the store rejected with. Default: a process warning, by its kind alone.
   * What was forgotten or erased meanwhile is no failure. What it throws is ignored.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined;
  /**
   * How long one job may take once it is begun, in milliseconds: its lease, after which another process may take the job over. A
   * job that waits for others keeps its position in the queue. Default 60,000.
   */
  readonly leaseMs?: number | undefined;
  /**
   * How often a job is tried before it is given up. A time when it was handed out but not tried, as too many waited or the
   * process went down, counts, too; but no job is given up untried unless that happened three times more. Default 5.
   */
  readonly maxAttempts?: number | undefined;
  /** Before the second attempt, in milliseconds; it doubles with each, up to 15 minutes. Default 5,000. */
  readonly retryDelayMs?: number | undefined;
  /** How many jobs this process does at a time, for one memory; users who wait are served one after the other. Default 4. */
  readonly concurrency?: number | undefined;
}

export interface MemoryExtractOptions extends ExtractionOptions {
  /** Default: the user memory of the process, see `setUserMemory`. Without either, nothing is extracted. */
  readonly memory?: UserMemory | undefined;
  /** Facts with a lower score are dropped. Default 0.7. */
  readonly threshold?: number | undefined;
}

const fields = {
  extract: callback.optional(),
  verify: callback.optional(),
  maxFacts: z.int().min(1).max(1_000).default(50),
  onExtracted: callback.optional(),
  onOffRecord: callback.optional(),
  onError: callback.optional(),
  leaseMs: z.int().min(1).max(3_600_000).default(60_000),
  maxAttempts: z.int().min(1).default(5),
  retryDelayMs: z.int().min(0).default(5_000),
  concurrency: z.int().min(1).max(1_000).default(4),
};

export const extractOptionsSchema = z.strictObject({
  ...fields,
  memory: z.custom<UserMemory>().optional(),
  threshold: z.number().min(0).max(1).default(0.7),
});

export const processOptionsSchema = z.strictObject({
  ...fields,
  extract: z
    .union([z.literal("verbatim"), callback], {
      error: 'expected a function, or "verbatim"',
    })
    .optional(),
  complete: callback.optional(),
  limit: z.int().min(1).default(100),
  signal: z.instanceof(AbortSignal).optional(),
});

/** The options with their defaults. */
export interface ExtractionSettings extends ExtractionOptions {
  readonly maxFacts: number;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  readonly concurrency: number;
}
