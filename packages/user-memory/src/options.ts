import * as z from "zod";
import type { UserMemoryError } from "./errors.ts";
import type { UserFact } from "./fact.ts";

/** Options of every store of this package. */
export interface UserMemoryOptions {
  /** Adds recall by meaning. If it fails, facts are still stored, and found by their words. */
  readonly embed?: Embed | undefined;
  /** Time limit of `embed`, in milliseconds. Default 5,000. */
  readonly embedTimeoutMs?: number | undefined;
  /** Finds contradictions. Default: only facts with the same key contradict each other. */
  readonly resolve?: ResolveConflicts | undefined;
  /** Time limit of `resolve`, in milliseconds. Default 10,000. */
  readonly resolveTimeoutMs?: number | undefined;
  /** Limits of each user's memory. */
  readonly limits?: Partial<UserMemoryLimits> | undefined;
  /**
   * The secret key for the hashes of the audit trail and of forgotten facts, at least 16 characters. Without the key, someone
   * with access to the store can't forge the trail or guess forgotten facts. Use the same key in all processes and never
   * change it.
   */
  readonly auditKey?: string | undefined;
  /** Called when `embed` or `resolve` fails and the call continues without it. Default: a process warning. */
  readonly onError?: ((error: UserMemoryError) => void) | undefined;
}

/** Returns a vector for each text, in order, all of the same dimension. May be called with one text. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

/** A fact that is about to be stored. */
export interface IncomingFact {
  /** The text. */
  readonly fact: string;
  /** The tags, or an empty list. */
  readonly tags: readonly string[];
  /** The topic, e.g. `"home-city"`. */
  readonly key?: string | undefined;
}

/**
 * Returns the ids of the candidates that the incoming fact contradicts. The result is a proposal: the rules of trust decide.
 * Ids that aren't among the candidates are ignored.
 */
export type ResolveConflicts = (
  incoming: IncomingFact,
  candidates: readonly UserFact[],
) => Promise<readonly string[]>;

/** Limits of one user's memory. Lengths are in characters (UTF-16 units). */
export interface UserMemoryLimits {
  /** Maximum length of a fact. Longer facts are refused with `"invalid"`. Default 2,000. */
  readonly maxFactLength: number;
  /** Maximum length of the evidence. Longer evidence is cut. Default 4,000. */
  readonly maxEvidenceLength: number;
  /** Maximum number of tags of a fact. Default 32. */
  readonly maxTags: number;
  /** Maximum length of a tag. Default 64. */
  readonly maxTagLength: number;
  /** Maximum number of a user's facts of any status, without quotations. Default 10,000. */
  readonly maxFacts: number;
  /**
   * Maximum number of active and superseded facts that the user neither stated nor confirmed. It leaves room for those that
   * they did. Default 5,000.
   */
  readonly maxUntrustedFacts: number;
  /** Maximum number of facts that wait for review. Default 1,000. */
  readonly maxQuarantined: number;
  /**
   * Maximum number of a user's quotations. At the limit, new quotations replace old ones: first the oldest that were never
   * recalled, then those with the earliest first recall. The store records recalls from half this number on. Default 5,000.
   */
  readonly maxQuotations: number;
  /** Maximum number of model-worded facts per conversation and window. Further ones are quarantined. Default 8. */
  readonly maxExtractedPerConversation: number;
  /** The window in milliseconds. Default 3,600,000 (one hour). */
  readonly extractionWindowMs: number;
  /** Maximum share of a recall for model-worded facts from one source, at least one fact. Default 0.4. */
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
 * The zod schema of {@link UserMemoryOptions}, with their defaults. Spread its `shape` into the schema of a factory that takes
 * these options in addition to its own.
 */
export const userMemoryOptionsSchema: UserMemoryOptionsSchema = optionsSchema;

/** The part of a schema that is needed here: the names of its fields. */
interface OptionsSchema {
  readonly shape: Readonly<Record<string, unknown>>;
}

/**
 * Copies options into a plain object and binds their functions to the original, which may be an instance of a class. From an
 * instance it copies only the fields of the schema, from a plain object all fields. Returns other values unchanged; the
 * schema refuses them.
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
