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
  /** The reply: context. */
  readonly reply: string;
  /** The assistant's last question before the turn: context. */
  readonly question?: string | undefined;
  /** The id of the conversation, if it has one. */
  readonly conversationId?: string | undefined;
  /** Aborted after the time limit. */
  readonly signal: AbortSignal;
}

/**
 * Proposes facts. Returns `{ private: true }` if the user wants nothing of the turn kept. If it rejects, the job is retried up
 * to `maxAttempts` times.
 */
export type ExtractFacts = (
  input: ExtractInput,
) => Promise<readonly ProposedFact[] | { readonly private: true }>;

/**
 * Returns whether the evidence, the user's words, supports a fact in the model's wording. `question` is the assistant's
 * question before the turn. A rejection counts as `false`.
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
  /** Number of proposed facts. Several can point at the same words. 0 for `"verbatim"`. */
  readonly proposed: number;
}

/** A turn that the user asked not to keep, without its content. */
export interface OffRecordTurn {
  /** The id of the user. */
  readonly userId: string;
  /** The id of the conversation, if it has one. */
  readonly conversationId?: string | undefined;
  /** Position of the user's first message of the turn in its conversation, from 0. */
  readonly position?: number | undefined;
  /** `"check"`: the check of this package. `"extractor"`: the model, or your `extract` function. */
  readonly detectedBy: "check" | "extractor";
}

/** Options for extraction, in a run or in a worker. */
export interface ExtractionOptions {
  /** Proposes the facts instead of a model. */
  readonly extract?: ExtractFacts | undefined;
  /**
   * Checks whether the user's words support a fact. A supported fact is stored in the model's wording with trust `"inferred"`,
   * instead of the quotation. Default: the user's words are always quoted.
   */
  readonly verify?: VerifyFact | undefined;
  /** Maximum number of quotations and facts per turn, highest score first. Default 50. */
  readonly maxFacts?: number | undefined;
  /**
   * Called with the stored facts, if there are any, e.g. for a log. They include facts that wait for review, see
   * `UserFact.status`. Called twice for a job that runs twice after a crash. Its errors are ignored.
   */
  readonly onExtracted?:
    | ((entries: readonly (MemoryEntry | UserFact)[], report: ExtractionReport) => unknown)
    | undefined;
  /**
   * Called if the user asked not to keep something, so nothing of the turn is stored. Use it to show this in your interface or
   * to exclude the turn from your own logs. For `"check"` it is called before the run ends, for `"extractor"` later. Called
   * twice for a job that runs twice after a crash. Its errors are ignored.
   */
  readonly onOffRecord?: ((turn: OffRecordTurn) => unknown) | undefined;
  /**
   * Called with an `ExtractionError` or the store's error. Default: a process warning with the kind of the error only. Not
   * called for facts that were forgotten or erased meanwhile. Its errors are ignored.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined;
  /**
   * The lease of a job in milliseconds, from its start. After it, another process can take the job over. The lease of a job
   * that waits for the concurrency limit is renewed. Default 60,000.
   */
  readonly leaseMs?: number | undefined;
  /**
   * Maximum number of attempts per job. A lease without an attempt counts too, e.g. if the queue was full or the process
   * crashed. But a job is only given up without an attempt after three further leases. Default 5.
   */
  readonly maxAttempts?: number | undefined;
  /** Delay before the second attempt, in milliseconds. It doubles with each attempt, up to 15 minutes. Default 5,000. */
  readonly retryDelayMs?: number | undefined;
  /** Maximum number of concurrent jobs in this process per user memory. Waiting users take turns. Default 4. */
  readonly concurrency?: number | undefined;
}

/** Options of `withMemoryExtract`. */
export interface MemoryExtractOptions extends ExtractionOptions {
  /** Default: the user memory of the process, see `setUserMemory`. Without either, nothing is extracted. */
  readonly memory?: UserMemory | undefined;
  /** Minimum score. Proposals with a lower score are dropped. Default 0.7. */
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
