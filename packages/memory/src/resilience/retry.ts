import { parseOptions } from "../codec/schema-issues.ts";
import { tell } from "../observer.ts";
import type { MemoryProvider, WriteOptions } from "../provider.ts";
import type { Result } from "../result.ts";
import { copyArgument } from "./argument-copy.ts";
import { extendProvider } from "./extend.ts";
import { type RetryOptions, type RetrySettings, retrySchema } from "./options.ts";

type Write = MemoryProvider["appendMessages"];

interface Waits {
  /** Whether the signal has aborted or the provider is closed. */
  readonly ended: () => boolean;
  /** Ends early as well. The timer keeps the process alive, as pending work does. */
  readonly wait: (delayMs: number) => Promise<void>;
  /** Ends all waits, now and later. */
  readonly end: () => void;
}

function createWaits(signal: AbortSignal | undefined): Waits {
  const waiting = new Set<() => void>();
  let closed = false;
  const wake = () => {
    for (const stop of waiting) stop();
  };
  // Only while something waits, and one for all: a signal may outlive many providers.
  const listen = () => signal?.addEventListener("abort", wake);
  const unlisten = () => signal?.removeEventListener("abort", wake);
  return {
    ended: () => closed || signal?.aborted === true,
    wait: (delayMs) =>
      new Promise((resolve) => {
        const stop = () => {
          clearTimeout(timer);
          waiting.delete(stop);
          if (waiting.size === 0) unlisten();
          resolve();
        };
        const timer = setTimeout(stop, delayMs);
        if (waiting.size === 0) listen();
        waiting.add(stop);
      }),
    end: () => {
      closed = true;
      wake();
    },
  };
}

/** Full jitter: clients that failed together don't come back together. */
const delayAfter = (attempt: number, { baseDelayMs, maxDelayMs, random }: RetrySettings): number =>
  random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));

function createRetry(settings: RetrySettings, waits: Waits) {
  const { maxAttempts, maxElapsedMs, onRetry } = settings;
  return async function retry<T>(
    operation: keyof MemoryProvider,
    call: () => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const start = performance.now();
    for (let attempt = 1; ; attempt++) {
      const result = await call();
      if (result.success || !result.error.retryable) return result;
      if (attempt >= maxAttempts || waits.ended()) return result;
      const delayMs = delayAfter(attempt, settings);
      if (performance.now() - start + delayMs > maxElapsedMs) return result;
      tell("onRetry", onRetry, { operation, attempt, delayMs, error: result.error });
      if (!waits.ended()) await waits.wait(delayMs);
      if (waits.ended()) return result;
    }
  };
}

function withKey(options: WriteOptions | undefined): WriteOptions | undefined {
  const copy = options === undefined ? {} : copyArgument(options);
  // What could not be copied is for the provider to refuse, as is anything else that is no key, `null` say.
  if (copy === options || copy.idempotencyKey !== undefined) return copy;
  return Object.assign(copy, { idempotencyKey: crypto.randomUUID() });
}

/**
 * The provider, trying again what failed for a passing reason (`retryable`), after waits that grow exponentially and
 * are spread at random. Other errors return at once; the last one returns when attempts or time are over, when
 * `signal` aborts, or when the provider is closed.
 *
 * Writes are safe to repeat: without an `idempotencyKey` they get one, the same for all attempts of a call, so that a
 * write whose reply was lost counts as done, also under `expectedVersion`. A deletion whose reply was lost finds
 * nothing when it is repeated: `deleteConversation` may then say `false`, and `clearUserConversations` too small a
 * number, though all is deleted.
 *
 * Every attempt gets the arguments as they were at the call: they are copied before the first one. What happened in
 * the store between two attempts is not undone by that: a write that is repeated after somebody cleared its user brings
 * that user's conversation back, and a deletion that is repeated also deletes what was created since.
 *
 * `close`, and methods that are not of the contract, are passed on and not repeated. Throws a `TypeError` for invalid
 * options.
 */
export function withRetry<P extends MemoryProvider>(provider: P, options: RetryOptions = {}): P {
  const settings = parseOptions(retrySchema, options, "retry options");
  const waits = createWaits(settings.signal);
  const retry = createRetry(settings, waits);
  const write =
    (operation: "storeMessages" | "appendMessages"): Write =>
    (id, messages, metadata, writeOptions) => {
      const fixed = [id, copyArgument(messages), copyArgument(metadata), withKey(writeOptions)] as const;
      return retry(operation, () => provider[operation](...fixed));
    };
  return extendProvider(provider, {
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
    getStats: (userId) => retry("getStats", () => provider.getStats(userId)),
    healthCheck: () => retry("healthCheck", () => provider.healthCheck()),
    close: () => {
      waits.end();
      return provider.close();
    },
  });
}
