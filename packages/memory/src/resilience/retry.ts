import { isPlainObject } from "../codec/checks.ts";
import { parseOptions } from "../codec/schema-issues.ts";
import { tell } from "../observer.ts";
import type { MemoryProvider, WriteOptions } from "../provider.ts";
import type { Result } from "../result.ts";
import { extendProvider } from "./extend.ts";
import { type RetryOptions, type RetrySettings, retrySchema } from "./options.ts";

type Write = MemoryProvider["appendMessages"];

/**
 * A wait that ends when the time is over or the signal aborts. The timer keeps the process alive, as pending work
 * does. One listener serves all waits: there may be many at once.
 */
function createPause(signal: AbortSignal): (delayMs: number) => Promise<void> {
  const waiting = new Set<() => void>();
  signal.addEventListener("abort", () => {
    for (const end of waiting) end();
  });
  return (delayMs) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, delayMs);
      waiting.add(end);
    });
}

/** Full jitter: clients that failed together don't come back together. */
const delayAfter = (attempt: number, { baseDelayMs, maxDelayMs, random }: RetrySettings): number =>
  random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));

function createRetry(settings: RetrySettings, signal: AbortSignal) {
  const { maxAttempts, maxElapsedMs, onRetry } = settings;
  const pause = createPause(signal);
  return async function retry<T>(
    operation: keyof MemoryProvider,
    call: () => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const start = performance.now();
    for (let attempt = 1; ; attempt++) {
      const result = await call();
      if (result.success || !result.error.retryable) return result;
      if (attempt >= maxAttempts || signal.aborted) return result;
      const delayMs = delayAfter(attempt, settings);
      if (performance.now() - start + delayMs > maxElapsedMs) return result;
      tell("onRetry", onRetry, { operation, attempt, delayMs, error: result.error });
      if (!signal.aborted) await pause(delayMs);
      if (signal.aborted) return result;
    }
  };
}

/** What no provider takes stays as it is: the provider says what is wrong with it. */
const copyOf = <T>(value: T): T => (isPlainObject(value) ? { ...value } : value);

function withKey(options: WriteOptions | undefined): WriteOptions | undefined {
  if (options !== undefined && !isPlainObject(options)) return options;
  const given = options?.idempotencyKey;
  // Anything else that is no key, `null` say, is for the provider to refuse.
  return { ...options, idempotencyKey: given === undefined ? crypto.randomUUID() : given };
}

/** The same write each time, whatever the caller does to its arguments while attempts go on. */
function fixArguments(
  ...[conversationId, messages, metadata, options]: Parameters<Write>
): Parameters<Write> {
  try {
    const fixed = Array.isArray(messages) ? Array.from(messages) : messages;
    return [conversationId, fixed, copyOf(metadata), withKey(options)];
  } catch {
    return [conversationId, messages, metadata, options]; // Reading it throws: the provider reports that.
  }
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
 * `close`, and methods that are not of the contract, are passed on and not repeated. Throws a `TypeError` for invalid
 * options.
 */
export function withRetry<P extends MemoryProvider>(provider: P, options: RetryOptions = {}): P {
  const settings = parseOptions(retrySchema, options, "retry options");
  const closed = new AbortController();
  const { signal } = settings;
  const ended = signal === undefined ? closed.signal : AbortSignal.any([signal, closed.signal]);
  const retry = createRetry(settings, ended);
  const write =
    (operation: "storeMessages" | "appendMessages"): Write =>
    (...given) => {
      const fixed = fixArguments(...given);
      return retry(operation, () => provider[operation](...fixed));
    };
  return extendProvider(provider, {
    storeMessages: write("storeMessages"),
    appendMessages: write("appendMessages"),
    getConversation: (id) => retry("getConversation", () => provider.getConversation(id)),
    findConversations: (query) => retry("findConversations", () => provider.findConversations(query)),
    getRecentMessages: (id, limit) => retry("getRecentMessages", () => provider.getRecentMessages(id, limit)),
    deleteConversation: (id) => retry("deleteConversation", () => provider.deleteConversation(id)),
    clearUserConversations: (userId) =>
      retry("clearUserConversations", () => provider.clearUserConversations(userId)),
    getStats: (userId) => retry("getStats", () => provider.getStats(userId)),
    healthCheck: () => retry("healthCheck", () => provider.healthCheck()),
    close: () => {
      closed.abort();
      return provider.close();
    },
  });
}
