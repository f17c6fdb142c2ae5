import * as z from "zod";
import type { UserMemoryError } from "./errors.ts";
import type { UserFact } from "./fact.ts";
import { callback } from "./input/callback.ts";
import { limitsSchema, type UserMemoryLimits } from "./limits.ts";

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

/** The options with their defaults. */
export interface UserMemorySettings extends UserMemoryOptions {
  readonly embedTimeoutMs: number;
  readonly resolveTimeoutMs: number;
  readonly limits: UserMemoryLimits;
}
