import * as z from "zod";
import type { UserMemoryError } from "./errors.ts";
import type { UserFact } from "./fact.ts";

/** What every store of this package can be given. */
export interface UserMemoryOptions {
  /** Adds recall by meaning. Facts are remembered, and found by their words, also while it fails. */
  readonly embed?: Embed | undefined;
  /** Default 5,000. */
  readonly embedTimeoutMs?: number | undefined;
  /** Default: only facts with the same key contradict each other. */
  readonly resolve?: ResolveConflicts | undefined;
  /** Default 10,000. */
  readonly resolveTimeoutMs?: number | undefined;
  readonly limits?: Partial<UserMemoryLimits> | undefined;
  /**
   * A secret that the audit trail and what remains of forgotten facts are keyed with, at least 16 characters: then nobody
   * who can only write to the store can forge the one, or guess the other. The same in every process, for good.
   */
  readonly auditKey?: string | undefined;
  /** Called where `embed` or `resolve` failed and the call went on without it. Default: a process warning. */
  readonly onError?: ((error: UserMemoryError) => void) | undefined;
}

/** A vector for each text, in order, all of one dimension. It may be called with one text. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

/** A fact that is about to be remembered. */
export interface IncomingFact {
  readonly fact: string;
  readonly tags: readonly string[];
  readonly key?: string | undefined;
}

/**
 * Finds which of the candidates the incoming fact contradicts, by their ids. It only proposes: the rules of trust decide,
 * and an id that isn't among the candidates counts for nothing.
 */
export type ResolveConflicts = (
  incoming: IncomingFact,
  candidates: readonly UserFact[],
) => Promise<readonly string[]>;

/** What one user's memory is bounded by. Lengths are in characters (UTF-16 units). */
export interface UserMemoryLimits {
  /** Default 2,000. */
  readonly maxFactLength: number;
  /** Longer evidence is cut. Default 4,000. */
  readonly maxEvidenceLength: number;
  /** Default 32. */
  readonly maxTags: number;
  /** Default 64. */
  readonly maxTagLength: number;
  /** Facts of a user but for quotations, whatever their status. Default 10,000. */
  readonly maxFacts: number;
  /** Of them, current and past ones that aren't the user's word: so there is always room for what is. Default 5,000. */
  readonly maxUntrustedFacts: number;
  /** Of them, facts that wait for review. Default 1,000. */
  readonly maxQuarantined: number;
  /**
   * Quotations of a user. When there are as many, some make room for new ones: of those that were never recalled, the
   * oldest; then the oldest. What was recalled is kept in mind from half as many on. Default 5,000.
   */
  readonly maxQuotations: number;
  /** Facts that a model worded, extracted from one conversation in a window; the next are quarantined. Default 8. */
  readonly maxExtractedPerConversation: number;
  /** In milliseconds. Default one hour. */
  readonly extractionWindowMs: number;
  /** The largest share of a recall that may be what a model worded of one source; at least one fact. Default 0.4. */
  readonly maxSourceShare: number;
}

/** The options with their defaults. */
export interface UserMemorySettings extends UserMemoryOptions {
  readonly embedTimeoutMs: number;
  readonly resolveTimeoutMs: number;
  readonly limits: UserMemoryLimits;
}

/** The schema of a function that an application passes as an option. */
export const callback = z.custom<never>((value) => typeof value === "function", {
  error: "expected a function",
});

const count = (byDefault: number) => z.int().min(1).default(byDefault);

const limitsSchema = z
  .strictObject({
    maxFactLength: count(2_000),
    maxEvidenceLength: count(4_000),
    maxTags: count(32),
    maxTagLength: count(64),
    maxFacts: count(10_000),
    maxUntrustedFacts: count(5_000),
    maxQuarantined: count(1_000),
    maxQuotations: count(5_000),
    maxExtractedPerConversation: count(8),
    extractionWindowMs: count(60 * 60 * 1_000),
    maxSourceShare: z.number().gt(0).max(1).default(0.4),
  })
  .prefault({});

const milliseconds = (byDefault: number) => z.int().min(1).max(600_000).default(byDefault);

export const userMemoryOptionsSchema = z.strictObject({
  embed: callback.optional(),
  embedTimeoutMs: milliseconds(5_000),
  resolve: callback.optional(),
  resolveTimeoutMs: milliseconds(10_000),
  limits: limitsSchema,
  auditKey: z.string().min(16).optional(),
  onError: callback.optional(),
});

/** A schema of options, as far as it matters here: the names of its fields. */
interface OptionsSchema {
  readonly shape: Readonly<Record<string, unknown>>;
}

/**
 * Options as a plain object whose functions are called on what the application gave: it may be an instance of a class, with
 * methods. Of such an instance the fields that the schema knows are taken, of anything else all; what isn't an object is
 * given back as it is, for the schema to refuse.
 */
export function bindOptions<T>({ shape }: OptionsSchema, given: T): T {
  if (typeof given !== "object" || given === null) return given;
  const fields = given as Readonly<Record<string, unknown>>;
  const bound: Record<string, unknown> = isPlain(given) ? { ...given } : {};
  for (const name of Object.keys(shape)) {
    const value = fields[name];
    if (value !== undefined) bound[name] = typeof value === "function" ? value.bind(given) : value;
  }
  return bound as T;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
