import * as z from "zod";
import type { ProposedFact } from "../evidence/evidence.ts";
import type { UserFact } from "../fact.ts";
import { callback } from "../options.ts";
import type { MemoryEntry, UserMemory } from "../user-memory.ts";

/** A turn to extract facts from. */
export interface ExtractInput {
  /** The id of the user. */
  readonly userId: string;
  /** The user's messages, oldest first: the only source of facts. */
  readonly said: readonly string[];
  /** The assistant's reply. It is context, not a source of facts. */
  readonly reply: string;
  /** The last question that the assistant asked before the turn. It is context, not a source of facts. */
  readonly question?: string | undefined;
  /** The id of the conversation, if it has one. */
  readonly conversationId?: string | undefined;
  /** Aborts when the time limit for your function is over. */
  readonly signal: AbortSignal;
}

/**
 * Your function that proposes facts from a turn. Return `{ private: true }` if the user wants nothing of the turn to be
 * kept. If the function rejects, the job is retried, up to `maxAttempts` attempts in all.
 */
export type ExtractFacts = (
  input: ExtractInput,
) => Promise<readonly ProposedFact[] | { readonly private: true }>;

/**
 * Your function that returns whether the evidence (the user's words) supports a fact in the model's wording.
 * `context.question` is the question that the assistant asked before the turn. A rejection counts as `false`.
 */
export type VerifyFact = (
  fact: string,
  evidence: string,
  context: { readonly question?: string | undefined },
) => boolean | Promise<boolean>;

/** A report on the extraction from one turn. */
export interface ExtractionReport {
  /** The id of the user. */
  readonly userId: string;
  /** The id of the conversation, if it has one. */
  readonly conversationId?: string | undefined;
  /** Number of proposed facts, often higher than the number of stored facts. 0 if the job was verbatim. */
  readonly proposed: number;
}

/** Tells in which turn a user asked not to keep something. Contains no words of the turn. */
export interface OffRecordTurn {
  /** The id of the user. */
  readonly userId: string;
  /** The id of the conversation, if it has one. */
  readonly conversationId?: string | undefined;
  /** Position of the user's first message of the turn in its conversation, from 0. */
  readonly position?: number | undefined;
  /**
   * What detected the user's request. `"check"`: the phrase check of this package. `"extractor"`: the model, or your
   * `extract` function.
   */
  readonly detectedBy: "check" | "extractor";
}

/** Options for extraction, in a run (`withMemoryExtract`) or in a worker (`processExtractions`). */
export interface ExtractionOptions {
  /** Your function that proposes the facts, instead of a model. */
  readonly extract?: ExtractFacts | undefined;
  /**
   * Your function that checks whether the user's words support a fact. If it returns `true`, the fact is stored in the
   * model's words with trust `"inferred"`, instead of a quotation. Default: the user's words are always quoted.
   */
  readonly verify?: VerifyFact | undefined;
  /**
   * Maximum number of quotations and facts that are stored per turn. Quotations are stored first, then facts in a
   * model's words. Within both groups, proposals with a higher `score` are stored first. The rest is dropped. Default
   * 50.
   */
  readonly maxFacts?: number | undefined;
  /**
   * Called with the facts that an extraction stored, if it stored any, e.g. for a log. Facts with the `status`
   * `"quarantined"` wait for review. If a job runs twice after a crash, this function is called twice. Errors of this
   * function are ignored.
   */
  readonly onExtracted?:
    | ((entries: readonly (MemoryEntry | UserFact)[], report: ExtractionReport) => unknown)
    | undefined;
  /**
   * Called if the user asked not to keep something, so nothing of the turn is stored. Use it to show this to the user,
   * or to exclude the turn from your own logs. Errors of this function are ignored.
   *
   * - With `detectedBy: "check"`, the function is called before the run ends.
   * - With `detectedBy: "extractor"`, it is called later, when the job runs. If the job runs twice after a crash, it is
   *   called twice.
   */
  readonly onOffRecord?: ((turn: OffRecordTurn) => unknown) | undefined;
  /**
   * Called with an `ExtractionError` or with an error of the store. Not called if a fact isn't stored because it was
   * forgotten, or because the user's memory was erased. Default: a process warning that contains only the name and code
   * of the error. If this function fails, a process warning is emitted.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined;
  /**
   * Duration of a job's lease in milliseconds. When the lease is over, another process can take over the job. Default
   * 60,000.
   */
  readonly leaseMs?: number | undefined;
  /**
   * Maximum number of attempts per job. Default 5. Each lease of the job counts as an attempt, even if the job didn't
   * run, e.g. because the process crashed.
   *
   * - A job that fails at this attempt or a later one is deleted.
   * - A job that was leased more than `maxAttempts + 3` times is deleted without running.
   */
  readonly maxAttempts?: number | undefined;
  /**
   * Delay between the first and the second attempt at a job, in milliseconds. The delay doubles with each attempt, up
   * to 15 minutes. Default 5,000.
   */
  readonly retryDelayMs?: number | undefined;
  /**
   * Maximum number of jobs that run at the same time in this process, per user memory. If several users have waiting
   * jobs, the jobs of these users start alternately. Default 4.
   */
  readonly concurrency?: number | undefined;
}

/** Options of `withMemoryExtract`. */
export interface MemoryExtractOptions extends ExtractionOptions {
  /**
   * The user memory that stores the facts. Default: the user memory of the process, see `setUserMemory`. If no user
   * memory is set at all, nothing is extracted.
   */
  readonly memory?: UserMemory | undefined;
  /** Minimum score of proposed facts, from 0 to 1. Proposed facts with a lower score are dropped. Default 0.7. */
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

/** The extraction options, with default values for options that weren't set. */
export interface ExtractionSettings extends ExtractionOptions {
  readonly maxFacts: number;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  readonly concurrency: number;
}
