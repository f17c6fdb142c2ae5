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

/** An attempt failed and another one follows. */
export interface RetryEvent {
  readonly operation: Operation;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** How long until the next one, in milliseconds. */
  readonly delayMs: number;
  readonly error: MemoryErrorUnion;
}

const callback = <F>() =>
  z.custom<F>((value) => typeof value === "function", { error: "expected a function" });

const milliseconds = z.number().min(0).max(2_147_483_647);

export const retrySchema = z.strictObject({
  /** Calls at most, the first one included. Default 5. */
  maxAttempts: z.int().min(1).default(5),
  /** The first wait is at most this long, each further one at most twice the one before. Default 100. */
  baseDelayMs: milliseconds.default(100),
  /** No wait is longer. Default 5,000. */
  maxDelayMs: milliseconds.default(5_000),
  /** No attempt begins later than this after the first. Default 30,000. */
  maxElapsedMs: milliseconds.default(30_000),
  /** Aborting it ends waiting: calls return the last error. */
  signal: z.instanceof(AbortSignal, { error: "expected an AbortSignal" }).optional(),
  /** Called before each wait. */
  onRetry: callback<(event: RetryEvent) => void>().optional(),
  /** A number from 0 to 1 that spreads the waits. Default `Math.random`. */
  random: callback<() => number>().default(() => Math.random),
});

export type RetryOptions = z.input<typeof retrySchema>;

type RetrySettings = z.output<typeof retrySchema>;

/**
 * The provider, which retries calls that failed with a retryable error, after waits that grow exponentially and are spread
 * at random. Other errors return at once. The last error returns when attempts or time have run out, when `signal` or that
 * of the call aborts, or when the provider is closed. Its field `attempts` says how often the call was made: then neither
 * the engine nor another `withRetry` around this one retries it, so that attempts don't multiply.
 *
 * Writes are safe to repeat: without an `idempotencyKey` they get one, the same for all attempts of a call, so that a write
 * whose reply was lost counts as done, also under `expectedVersion`. A deletion whose reply was lost finds nothing when it
 * is repeated: `deleteConversation` may then say `false`, and `clearUserConversations` too small a number, though all is
 * deleted.
 *
 * Every attempt gets the arguments as they were at the call: they are copied before the first one. What happened in the
 * store between two attempts is not undone by that: without `expectedIncarnation`, a write that is repeated after somebody
 * cleared its user, and that creates, brings that user's conversation back; and a deletion that is repeated also deletes
 * what was created since.
 *
 * `close`, and methods that are not of the contract, are passed on and not repeated. Throws a `TypeError` for invalid
 * options.
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
    // Without an argument is everybody's, with `undefined` is refused.
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

/** A wrapper further in that has given up has tried often enough. */
const mayBeTriedAgain = <T>(result: Result<T>): result is Extract<Result<T>, { readonly success: false }> =>
  !result.success && result.error.retryable && result.error.attempts === undefined;

/** What only some providers have, for as far as this one has it. */
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

/** What is no signal is for the provider to refuse, or to ignore. */
const signalOf = (options: Stoppable | undefined): AbortSignal | undefined =>
  options?.signal instanceof AbortSignal ? options.signal : undefined;

type Keyed = Pick<WriteOptions, "idempotencyKey" | "signal">;

/** A copy of a write's options under a key, its own or a new one, so that the write is done once however often it is sent. */
function keyedOptions<Options extends Keyed>(options: Options | undefined): Options | Keyed {
  const copy: Options | Keyed = options === undefined ? {} : copyArgument(options);
  // What could not be copied is for the provider to refuse, as is anything else that is no key, `null` say.
  if (copy === options || copy.idempotencyKey !== undefined) return copy;
  return Object.assign(copy, { idempotencyKey: crypto.randomUUID() });
}

type Retry = ReturnType<typeof createRetry>;
