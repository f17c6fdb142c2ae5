import { parseOptions } from "../codec/schema-issues.ts";
import type { MemoryErrorUnion } from "../errors.ts";
import { tell } from "../observer.ts";
import type { MemoryProvider } from "../provider.ts";
import { createSuccess, type Result } from "../result.ts";
import { type Circuit, createCircuit } from "./circuit.ts";
import { extendProvider } from "./extend.ts";
import { type FallbackOptions, type FallbackSettings, fallbackSchema } from "./options.ts";

type Operation = keyof MemoryProvider;
type Ask<T> = (provider: MemoryProvider) => Promise<Result<T>>;

interface Call {
  readonly operation: Operation;
  readonly conversationId?: string;
}

interface Stores {
  readonly primary: MemoryProvider;
  readonly fallback: MemoryProvider;
  readonly circuit: Circuit;
  readonly settings: FallbackSettings;
}

/** Asks the primary and, when it is out of reach, the fallback. `onMoved` is told of a success there. */
async function askEither<T>(
  { primary, fallback, circuit, settings }: Stores,
  call: Call,
  { ask, onMoved }: { readonly ask: Ask<T>; readonly onMoved?: () => void },
): Promise<Result<T>> {
  let error: MemoryErrorUnion | undefined = circuit.blockedBy();
  if (error === undefined) {
    const result = await ask(primary);
    error = circuit.note(result);
    if (error === undefined) return result;
  }
  tell("onFallback", settings.onFallback, { ...call, error });
  const result = await ask(fallback);
  if (result.success) onMoved?.();
  return result;
}

/** Writes are never held back from a primary that may have recovered: only reads go by the circuit. */
async function askPrimary<T>({ primary, circuit }: Stores, ask: Ask<T>): Promise<Result<T>> {
  const result = await ask(primary);
  circuit.note(result);
  return result;
}

function createMethods(stores: Stores) {
  const { fallback, settings } = stores;
  const divert = settings.writes === "fallback";
  /** Conversations with messages in the fallback: they stay there, so that no history goes back and forth. */
  const diverted = new Set<string>();

  const read = <T>(call: Call, ask: Ask<T>): Promise<Result<T>> =>
    call.conversationId !== undefined && diverted.has(call.conversationId)
      ? ask(fallback)
      : askEither(stores, call, { ask });

  function write(operation: Operation, conversationId: string, ask: Ask<void>): Promise<Result<void>> {
    if (!divert) return askPrimary(stores, ask);
    if (diverted.has(conversationId)) return ask(fallback);
    const onMoved = () => void diverted.add(conversationId);
    return askEither(stores, { operation, conversationId }, { ask, onMoved });
  }

  /** What is deleted must not be left in, or come back from, either store. */
  async function remove<T>(ask: Ask<T>, join: (first: T, second: T) => T): Promise<Result<T>> {
    const first = await askPrimary(stores, ask);
    if (!divert || !first.success) return first;
    const second = await ask(fallback);
    return second.success ? createSuccess(join(first.data, second.data)) : second;
  }
  return { read, write, remove, forget: (conversationId: string) => diverted.delete(conversationId) };
}

async function closeBoth({ primary, fallback }: Stores): Promise<Result<void>> {
  const [first, second] = await Promise.all([primary.close(), fallback.close()]);
  return first.success ? second : first;
}

/**
 * The primary, with another provider for the time that it is out of reach. Only a retryable `MemoryConnectionError`
 * counts as that: conflicts, invalid input and failures of the store return as they are.
 *
 * **Reads** go to the fallback, and for `cooldownMs` straight to it. They answer with what the fallback holds: a
 * copy that lags, or nothing. A decision that is based on a read therefore needs `expectedVersion` in its write.
 *
 * **Writes** fail by default, since the messages would be missing in the primary once it is back. With
 * `writes: "fallback"` they go to the fallback instead; know what that means:
 * - The conversation stays with the fallback, for reads and writes, until it is deleted or the process ends. Its
 *   earlier messages, owner, version and idempotency keys are in the primary, and are not known there.
 * - Nothing is moved back: `onFallback` names the conversations, to be merged by whoever knows how.
 * - A write whose reply was lost may be in both stores. Other processes decide for themselves.
 * - `findConversations` and `getStats` tell of one store at a time.
 *
 * **Deletions** always need the primary, and with `writes: "fallback"` delete from both stores, and add up what both
 * say. `healthCheck` is the primary's, `close` closes both, and methods that are not of the contract are the
 * primary's. For retries, wrap the primary: `withFallback(withRetry(primary), fallback)`.
 *
 * Throws a `TypeError` for invalid options.
 */
export function withFallback<P extends MemoryProvider>(
  primary: P,
  fallback: MemoryProvider,
  options: FallbackOptions = {},
): P {
  const settings = parseOptions(fallbackSchema, options, "fallback options");
  const stores: Stores = { primary, fallback, circuit: createCircuit(settings.cooldownMs), settings };
  const { read, write, remove, forget } = createMethods(stores);
  return extendProvider(primary, {
    storeMessages: (id, ...rest) => write("storeMessages", id, (store) => store.storeMessages(id, ...rest)),
    appendMessages: (id, ...rest) =>
      write("appendMessages", id, (store) => store.appendMessages(id, ...rest)),
    getConversation: (conversationId) =>
      read({ operation: "getConversation", conversationId }, (store) =>
        store.getConversation(conversationId),
      ),
    getRecentMessages: (conversationId, limit) =>
      read({ operation: "getRecentMessages", conversationId }, (store) =>
        store.getRecentMessages(conversationId, limit),
      ),
    findConversations: (query) =>
      read({ operation: "findConversations" }, (store) => store.findConversations(query)),
    getStats: (userId) => read({ operation: "getStats" }, (store) => store.getStats(userId)),
    deleteConversation: async (id) => {
      const result = await remove(
        (store) => store.deleteConversation(id),
        (a, b) => a || b,
      );
      if (result.success) forget(id);
      return result;
    },
    clearUserConversations: (userId) =>
      remove(
        (store) => store.clearUserConversations(userId),
        (a, b) => a + b,
      ),
    healthCheck: async () => {
      const health = await primary.healthCheck();
      if (health.success && health.data.healthy) stores.circuit.note(health);
      return health;
    },
    close: () => closeBoth(stores),
  });
}
