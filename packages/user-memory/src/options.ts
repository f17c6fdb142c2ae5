import * as z from "zod";
import type { UserMemoryError } from "./errors.ts";
import type { UserFact } from "./fact.ts";

/** Options of every store of this package. */
export interface UserMemoryOptions {
  /**
   * Your function that makes vectors of texts, for recall by meaning. If it fails for a new fact, the fact is stored
   * without a vector and found by its words only. If it fails for a query, facts are found by their words only.
   */
  readonly embed?: Embed | undefined;
  /** Time limit for a call of `embed`, in milliseconds. Default 5,000. */
  readonly embedTimeoutMs?: number | undefined;
  /**
   * Your function that finds the facts that a new fact contradicts. Default: only facts with equal keys contradict each
   * other.
   */
  readonly resolve?: ResolveConflicts | undefined;
  /** Time limit for a call of `resolve`, in milliseconds. Default 10,000. */
  readonly resolveTimeoutMs?: number | undefined;
  /** Limits of each user's memory. */
  readonly limits?: Partial<UserMemoryLimits> | undefined;
  /**
   * The secret key for the hashes of the audit trail and of forgotten facts, at least 16 characters. With a key, an
   * attacker who can access the store can neither forge the audit trail nor guess forgotten facts. Use one key in all
   * processes and never change it.
   */
  readonly auditKey?: string | undefined;
  /**
   * Called with the error if `embed` or `resolve` fails. The store's method that called the function continues without
   * its result. Default: a process warning.
   */
  readonly onError?: ((error: UserMemoryError) => void) | undefined;
}

/**
 * Your function that returns a vector for each text, in the order of the texts. All vectors have the same dimension.
 * The list of texts may contain only one text.
 */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

/** A fact that is about to be stored. */
export interface IncomingFact {
  /** The text of the fact. */
  readonly fact: string;
  /** The tags of the fact, or an empty list. */
  readonly tags: readonly string[];
  /** The topic of the fact, e.g. `"home-city"`. */
  readonly key?: string | undefined;
}

/**
 * Your function that returns the ids of those candidates (stored facts) that the incoming fact contradicts. Other ids
 * are ignored. The store decides by trust and time what becomes of the contradicting facts.
 */
export type ResolveConflicts = (
  incoming: IncomingFact,
  candidates: readonly UserFact[],
) => Promise<readonly string[]>;

/** Limits of one user's memory. Lengths are in characters (UTF-16 units). */
export interface UserMemoryLimits {
  /** Maximum length of a fact. A longer fact is refused with the error `"invalid"`. Default 2,000. */
  readonly maxFactLength: number;
  /** Maximum length of a fact's evidence. Longer evidence is cut. Default 4,000. */
  readonly maxEvidenceLength: number;
  /** Maximum number of tags of a fact. Default 32. */
  readonly maxTags: number;
  /** Maximum length of a tag. Default 64. */
  readonly maxTagLength: number;
  /** Maximum number of a user's facts, with any status. Quotations aren't counted. Default 10,000. */
  readonly maxFacts: number;
  /**
   * Maximum number of active and superseded facts that the user neither stated nor confirmed. Quotations aren't
   * counted. Default 5,000.
   */
  readonly maxUntrustedFacts: number;
  /** Maximum number of facts that wait for review. Default 1,000. */
  readonly maxQuarantined: number;
  /**
   * Maximum number of a user's quotations. When the limit is reached, old quotations are deleted. Quotations that were
   * never recalled are deleted first, followed by those whose first recall is longest ago. The store only records first
   * recalls while the user has at least half of this number of quotations. Default 5,000.
   */
  readonly maxQuotations: number;
  /**
   * Maximum number of inferred facts from one conversation within `extractionWindowMs`. Inferred facts are a model's
   * sentences; quotations aren't counted. Further inferred facts are quarantined. Default 8.
   */
  readonly maxExtractedPerConversation: number;
  /**
   * The time window for `maxExtractedPerConversation`, in milliseconds. The window begins with the first inferred fact
   * of the conversation. Default 3,600,000 (one hour).
   */
  readonly extractionWindowMs: number;
  /**
   * Maximum number of inferred and external facts from one source in a recall, as a share of the recall's `limit`. A
   * source is a conversation or, if the conversation is unknown, an extractor. Quotations aren't limited. One fact per
   * source is always allowed. Default 0.4.
   */
  readonly maxSourceShare: number;
}

/** The options of a store, with default values for options that weren't set. */
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

const optionsSchema = z.strictObject({
  embed: callback.optional(),
  embedTimeoutMs: milliseconds(5_000),
  resolve: callback.optional(),
  resolveTimeoutMs: milliseconds(10_000),
  limits: limitsSchema,
  auditKey: z.string().min(16).optional(),
  onError: callback.optional(),
});

type Schema = typeof optionsSchema;

/** The type of {@link userMemoryOptionsSchema}. */
export interface UserMemoryOptionsSchema extends Schema {}

/**
 * The zod schema of {@link UserMemoryOptions}, with default values. If your function takes these options in addition to
 * its own options, spread the `shape` of this schema into the schema of your function.
 */
export const userMemoryOptionsSchema: UserMemoryOptionsSchema = optionsSchema;

/** A zod schema of options. {@link bindOptions} only reads the names of the schema's fields. */
interface OptionsSchema {
  readonly shape: Readonly<Record<string, unknown>>;
}

/**
 * Copies options into a plain object. Functions among the options are bound to `given`, because `given` may be an
 * instance of a class:
 * - If `given` is an instance of a class, only the fields of the schema are copied.
 * - If `given` is a plain object, all fields are copied.
 * - If `given` isn't an object, it is returned unchanged. A later check by the schema refuses it.
 *
 * @example
 * ```ts
 * import { parseOptions } from "@jaf/memory/adapter";
 * import type { UserMemoryOptions } from "@jaf/user-memory";
 * import { bindOptions, defineUserMemory, type UserMemoryBackend, userMemoryOptionsSchema } from "@jaf/user-memory/adapter";
 * import * as z from "zod";
 *
 * declare function openBackend(folder: string): Promise<UserMemoryBackend>;
 *
 * const schema = z.strictObject({ folder: z.string().min(1), ...userMemoryOptionsSchema.shape });
 *
 * export async function createFileMemory(config: { folder: string } & UserMemoryOptions) {
 *   const { folder, ...options } = bindOptions(schema, config);
 *   parseOptions(schema, { folder, ...options }, "file memory configuration");
 *   return defineUserMemory(await openBackend(folder), options);
 * }
 * ```
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
