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

/** A failed attempt after which `withRetry` makes another attempt. */
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
  /** The maximum number of attempts, including the first one. Default 5. */
  maxAttempts: z.int().min(1).default(5),
  /**
   * The maximum duration of the wait before the second attempt, in milliseconds. The maximum doubles for each further
   * wait. Default 100.
   */
  baseDelayMs: milliseconds.default(100),
  /** The maximum duration of any wait between two attempts, in milliseconds. Default 5,000. */
  maxDelayMs: milliseconds.default(5_000),
  /** No attempt begins later than this many milliseconds after the beginning of the first attempt. Default 30,000. */
  maxElapsedMs: milliseconds.default(30_000),
  /**
   * If this signal is aborted, no further attempts are made, and a running call returns the error of its last attempt.
   */
  signal: z.instanceof(AbortSignal, { error: "expected an AbortSignal" }).optional(),
  /** Called before each wait between two attempts. */
  onRetry: callback<(event: RetryEvent) => void>().optional(),
  /** Returns a number from 0 to 1 that makes the waits random. Default `Math.random`. */
  random: callback<() => number>().default(() => Math.random),
});

/** Options of `withRetry`. */
export type RetryOptions = z.input<typeof retrySchema>;

type RetrySettings = z.output<typeof retrySchema>;

/**
 * Wraps the provider so that a call is repeated if it fails with a retryable error. The waits between the attempts grow
 * exponentially and are random. Any other error is returned at once.
 *
 * The error of the last attempt is returned in these cases:
 *
 * - `maxAttempts` or `maxElapsedMs` is used up.
 * - `RetryOptions.signal`, or the `signal` in the options of the call, is aborted.
 * - The provider is closed.
 *
 * The error's field `attempts` contains the number of attempts. Because of this field, neither the engine nor another
 * `withRetry` around this wrapper retries the call again.
 *
 * It is safe to repeat a write, because all attempts of a write have the same idempotency key. If the write has no
 * `idempotencyKey`, the wrapper creates one. So if a write was stored but its reply was lost, the next attempt succeeds
 * and stores nothing twice, even with `expectedVersion`.
 *
 * If a deletion succeeded but its reply was lost, the next attempt finds nothing to delete. In this case,
 * `deleteConversation` may return `false`, and `clearUserConversations` may return too small a number.
 *
 * The arguments are copied before the first attempt, so all attempts send the same arguments. But other writers may
 * change the store between two attempts:
 *
 * - If a user's conversations are cleared between two attempts of a write without `expectedIncarnation`, the second
 *   attempt can create the conversation again.
 * - A repeated deletion deletes what was created after the first attempt, too.
 *
 * `close`, and methods that aren't part of the provider's contract, are not repeated. Throws a `TypeError` if the
 * options are invalid.
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
    // The arguments are passed on as they are: no argument means all users, but the provider refuses `undefined`.
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

/** Whether the result is a failure that should be retried. */
const mayBeTriedAgain = <T>(result: Result<T>): result is Extract<Result<T>, { readonly success: false }> =>
  // A failure with the field `attempts` should not, because an inner `withRetry` has already made all its attempts.
  !result.success && result.error.retryable && result.error.attempts === undefined;

/** Returns those versioned methods that the provider has, with retries. */
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

/** Returns the signal in the options, or `undefined` if they have no valid signal. */
const signalOf = (options: Stoppable | undefined): AbortSignal | undefined =>
  // The provider refuses or ignores a wrong value.
  options?.signal instanceof AbortSignal ? options.signal : undefined;

type Keyed = Pick<WriteOptions, "idempotencyKey" | "signal">;

/**
 * Returns a copy of a write's options with an idempotency key, which all attempts of the write share. Creates the key
 * if there is none.
 */
function keyedOptions<Options extends Keyed>(options: Options | undefined): Options | Keyed {
  // If the options can't be copied, returns them unchanged: the provider refuses them.
  const copy: Options | Keyed = options === undefined ? {} : copyArgument(options);
  // Options that couldn't be copied, and invalid keys (e.g. `null`), stay unchanged, because the provider refuses them.
  if (copy === options || copy.idempotencyKey !== undefined) return copy;
  return Object.assign(copy, { idempotencyKey: crypto.randomUUID() });
}

type Retry = ReturnType<typeof createRetry>;
