import * as z from "zod";
import { parseOptions } from "../codec/checks.ts";
import { createFailure, type MemoryErrorUnion, type Result } from "../contract/errors.ts";
import type { MemoryProvider, WriteOptions } from "../contract/provider.ts";
import {
  type Operation,
  type VersionedMemoryProvider,
  type VersionedMethods,
  versionedMethods,
} from "../contract/versioned-provider.ts";
import { type Outcome, retryUntilAborted } from "../runtime/backoff.ts";
import { copyArgument, extendObject } from "../runtime/objects.ts";
import { notifyObserver } from "../runtime/observer.ts";

/** A failed attempt that another one follows. */
export interface RetryEvent {
  readonly operation: Operation;
  /** The number of the failed attempt, from 1. */
  readonly attempt: number;
  /** The wait before the next attempt, in milliseconds. */
  readonly delayMs: number;
  readonly error: MemoryErrorUnion;
}

const callback = <F>() =>
  z.custom<F>((value) => typeof value === "function", { error: "expected a function" });

const milliseconds = z.number().min(0).max(2_147_483_647);

export const retrySchema = z.strictObject({
  /** The maximum number of calls, including the first. Default 5. */
  maxAttempts: z.int().min(1).default(5),
  /** The maximum of the first wait, in milliseconds. It doubles for each further wait. Default 100. */
  baseDelayMs: milliseconds.default(100),
  /** The maximum of any wait, in milliseconds. Default 5,000. */
  maxDelayMs: milliseconds.default(5_000),
  /** No attempt begins later than this after the first, in milliseconds. Default 30,000. */
  maxElapsedMs: milliseconds.default(30_000),
  /** Aborting it stops the retries: calls return the last error. */
  signal: z.instanceof(AbortSignal, { error: "expected an AbortSignal" }).optional(),
  /** Called before each wait. */
  onRetry: callback<(event: RetryEvent) => void>().optional(),
  /** Returns a number from 0 to 1 to randomise the waits. Default `Math.random`. */
  random: callback<() => number>().default(() => Math.random),
});

/** Options of `withRetry`. */
export type RetryOptions = z.input<typeof retrySchema>;

type RetrySettings = z.output<typeof retrySchema>;

/**
 * Wraps the provider and retries calls that fail with a retryable error, with exponential, randomised waits. Other
 * errors return immediately. The last error returns when attempts or time run out, when `signal` or the call's own
 * signal aborts, or when the provider is closed. Its `attempts` field contains the number of attempts: neither the
 * engine nor another `withRetry` around this one retries it again, so attempts don't multiply.
 *
 * Writes are safe to repeat. A write without an `idempotencyKey` gets one for all its attempts, so a write with a lost
 * reply counts as done, even with `expectedVersion`. A deletion with a lost reply finds nothing when it is repeated:
 * `deleteConversation` may then return `false`, and `clearUserConversations` too small a number, although everything is
 * deleted.
 *
 * Arguments are copied before the first attempt, so all attempts send the same. Changes in the store between two
 * attempts still matter. Without `expectedIncarnation`, a repeated write that creates a conversation can bring it back
 * after its user was cleared. A repeated deletion also deletes what was created since.
 *
 * `close` and methods outside the contract are passed on and not repeated. Throws a `TypeError` for invalid options.
 *
 * @example
 * ```ts
 * import { createMemoryProvider, withRetry } from "@jaf/memory";
 *
 * const postgres = await createMemoryProvider({
 *   type: "postgres",
 *   connectionString: "postgres://localhost:5432/jaf",
 * });
 * export const provider = withRetry(postgres, {
 *   maxAttempts: 3,
 *   onRetry: ({ operation, attempt, delayMs }) => console.warn(operation, attempt, delayMs),
 * });
 * ```
 */
export function withRetry<P extends MemoryProvider>(provider: P, options: RetryOptions = {}): P {
  const settings = parseOptions(retrySchema, options, "retry options");
  const closing = new AbortController();
  const retry = createRetry(settings, closing.signal);
  const write =
    (operation: "storeMessages" | "appendMessages"): Write =>
    (id, messages, metadata, writeOptions) => {
      const fixed = [id, copyArgument(messages), copyArgument(metadata), keyedOptions(writeOptions)] as const;
      return retry(operation, () => provider[operation](...fixed), fixed[3]);
    };
  return extendObject(provider, {
    storeMessages: write("storeMessages"),
    appendMessages: write("appendMessages"),
    getConversation: (id) => retry("getConversation", () => provider.getConversation(id)),
    findConversations: (query) => {
      const fixed = copyArgument(query);
      return retry("findConversations", () => provider.findConversations(fixed));
    },
    getRecentMessages: (id, limit) => retry("getRecentMessages", () => provider.getRecentMessages(id, limit)),
    deleteConversation: (id) => retry("deleteConversation", () => provider.deleteConversation(id)),
    clearUserConversations: (userId) =>
      retry("clearUserConversations", () => provider.clearUserConversations(userId)),
    ...retryVersioned(provider, retry),
    // No argument means all users; `undefined` is refused.
    getStats: (...user) => retry("getStats", () => provider.getStats(...user)),
    healthCheck: () => retry("healthCheck", () => provider.healthCheck()),
    close: () => {
      closing.abort();
      return provider.close();
    },
  } satisfies Partial<VersionedMemoryProvider>);
}

function createRetry(settings: RetrySettings, closed: AbortSignal) {
  const { maxAttempts, baseDelayMs, maxDelayMs, maxElapsedMs, random, onRetry, signal } = settings;
  const limits = { maxAttempts, baseDelayMs, maxDelayMs, maxElapsedMs, random };
  return async function retry<T>(
    operation: Operation,
    call: () => Promise<Result<T>>,
    given?: Stoppable,
  ): Promise<Result<T>> {
    let attempts = 0;
    const counted = () => {
      attempts += 1;
      return call();
    };
    const options = {
      ...limits,
      isTransientResult: mayBeTriedAgain,
      onRetry: (attempt: number, delayMs: number, outcome: Outcome<Result<T>>) => {
        if (!("result" in outcome) || outcome.result.success) return;
        notifyObserver("onRetry", onRetry, { operation, attempt, delayMs, error: outcome.result.error });
      },
    };
    const last = await retryUntilAborted(counted, options, [closed, signal, signalOf(given)]);
    return mayBeTriedAgain(last) ? createFailure({ ...last.error, attempts }) : last;
  };
}

/** If an inner wrapper has given up, there were enough attempts. */
const mayBeTriedAgain = <T>(result: Result<T>): result is Extract<Result<T>, { readonly success: false }> =>
  !result.success && result.error.retryable && result.error.attempts === undefined;

/** The optional methods that this provider has. */
function retryVersioned(provider: MemoryProvider, retry: Retry): Partial<VersionedMethods> {
  const { readConversation, exportConversation, importConversation, verifyConversation } =
    versionedMethods(provider);
  return {
    ...(readConversation && {
      readConversation: (id, options) => {
        const fixed = copyArgument(options);
        return retry("readConversation", () => readConversation(id, fixed), fixed);
      },
    }),
    ...(exportConversation && {
      exportConversation: (id) => retry("exportConversation", () => exportConversation(id)),
    }),
    ...(importConversation && {
      importConversation: (record, options) => {
        const fixed = [copyArgument(record), keyedOptions(options)] as const;
        return retry("importConversation", () => importConversation(...fixed));
      },
    }),
    ...(verifyConversation && {
      verifyConversation: (id) => retry("verifyConversation", () => verifyConversation(id)),
    }),
  };
}

type Write = MemoryProvider["appendMessages"];

type Stoppable = Pick<WriteOptions, "signal">;

/** Returns `undefined` for a value that is no signal: the provider refuses or ignores it. */
const signalOf = (options: Stoppable | undefined): AbortSignal | undefined =>
  options?.signal instanceof AbortSignal ? options.signal : undefined;

type Keyed = Pick<WriteOptions, "idempotencyKey" | "signal">;

/** Returns a copy of a write's options with a key, its own or a new one, so repeated sends write once. */
function keyedOptions<Options extends Keyed>(options: Options | undefined): Options | Keyed {
  const copy: Options | Keyed = options === undefined ? {} : copyArgument(options);
  // The provider refuses options that couldn't be copied, and invalid keys such as `null`.
  if (copy === options || copy.idempotencyKey !== undefined) return copy;
  return Object.assign(copy, { idempotencyKey: crypto.randomUUID() });
}

type Retry = ReturnType<typeof createRetry>;
