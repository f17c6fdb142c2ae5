import { parseOptions } from "../codec/schema-issues.ts";
import type { MemoryProvider } from "../provider.ts";
import type { Result } from "../result.ts";
import { copyArgument, copyArguments } from "./argument-copy.ts";
import { createCircuit } from "./circuit.ts";
import { extendProvider } from "./extend.ts";
import { routeVersioned } from "./fallback-reading.ts";
import { type FallbackOptions, fallbackSchema } from "./options.ts";
import { askEither, divertWrites, failWrites, type Stores } from "./routing.ts";

/** Closes both also when one of them throws instead of returning a failure; then rejects with what it threw. */
async function closeBoth({ primary, fallback }: Stores): Promise<Result<void>> {
  const close = async (provider: MemoryProvider) => provider.close();
  const [first, second] = await Promise.allSettled([close(primary), close(fallback)]);
  if (first.status === "rejected") throw first.reason;
  if (second.status === "rejected") throw second.reason;
  return first.value.success ? second.value : first.value;
}

/**
 * The primary, with another provider for the time that it is out of reach. Only a retryable `MemoryConnectionError`
 * counts as that: conflicts, invalid input and failures of the store return as they are.
 *
 * **Reads** go to the fallback, and for `cooldownMs` straight to it. They answer with what the fallback holds: a copy
 * that lags, or nothing. Where writes fail, that includes what was deleted from the primary alone.
 *
 * **Writes** fail by default, since the messages would be missing in the primary once it is back. So does, with a
 * retryable `MemoryConnectionError`, a write to a conversation whose latest read the fallback answered, until the
 * primary has answered one: a turn that was answered without its history is not added to it. The last 100,000 such
 * conversations are remembered. This is per process and conversation, not per turn: where several turns of one
 * conversation run at once, use `expectedVersion`. A write that expects the incarnation that the fallback gave is a
 * conflict in the primary, unless the conversation is in neither.
 *
 * With `writes: "fallback"` they go to the fallback instead; know what that means:
 * - The conversation stays with the fallback, for reads and writes, until the fallback has lost it (a deletion, its
 *   limits, a ttl) or the process ends. Its earlier messages, owner, version and idempotency keys are in the primary,
 *   and are not known there: an append that makes no conversation is a `MemoryNotFoundError`. Each read and write of
 *   it asks the fallback first whether it still holds it.
 * - Nothing is moved back: `onFallback` names the conversations, to be merged by whoever knows how.
 * - A write whose reply was lost may be in both stores. Other processes decide for themselves.
 * - A turn whose read the fallback answered may be written to the primary, if that is back by then. A decision that
 *   is based on a read therefore needs `expectedVersion` or `expectedIncarnation` in its write.
 * - Writes of one conversation go one after another.
 * - `findConversations` and `getStats` tell of one store at a time.
 *
 * A fallback without `readConversation` answers from its `getConversation`; exports and imports fail where the fallback
 * would have to do them and can't.
 *
 * **Deletions** always need the primary, and with `writes: "fallback"` delete from both stores, and add up what both
 * say. `healthCheck` is the primary's, `close` closes both, and methods that are not of the contract are the
 * primary's. For retries, wrap the primary: `withFallback(withRetry(primary), fallback)`.
 *
 * Throws a `TypeError` for invalid options, and for a fallback that is no provider.
 */
export function withFallback<P extends MemoryProvider>(
  primary: P,
  fallback: MemoryProvider,
  options: FallbackOptions = {},
): P {
  const settings = parseOptions(fallbackSchema, options, "fallback options");
  if (typeof fallback?.getConversation !== "function") {
    throw new TypeError("Invalid fallback: expected a MemoryProvider.");
  }
  const stores: Stores = { primary, fallback, circuit: createCircuit(settings.cooldownMs), settings };
  const routing = settings.writes === "fallback" ? divertWrites(stores) : failWrites(stores);
  const { read, find, deleteConversation, clearUserConversations } = routing;
  const write =
    (operation: "storeMessages" | "appendMessages"): MemoryProvider["appendMessages"] =>
    (...given) => {
      const fixed = copyArguments(given);
      return routing.write({ operation, conversationId: fixed[0] }, (store) => store[operation](...fixed));
    };
  return extendProvider(primary, {
    storeMessages: write("storeMessages"),
    appendMessages: write("appendMessages"),
    getConversation: (conversationId) =>
      read({ operation: "getConversation", conversationId }, (store) =>
        store.getConversation(conversationId),
      ),
    getRecentMessages: (conversationId, limit) =>
      read({ operation: "getRecentMessages", conversationId }, (store) =>
        store.getRecentMessages(conversationId, limit),
      ),
    ...routeVersioned(primary, routing),
    findConversations: (query) => find(copyArgument(query)),
    deleteConversation,
    clearUserConversations,
    // Without an argument is everybody's, with `undefined` is refused.
    getStats: (...user) =>
      askEither(stores, { operation: "getStats" }, { ask: (store) => store.getStats(...user) }),
    healthCheck: async () => {
      const note = stores.circuit.begin();
      const health = await primary.healthCheck();
      if (health.success && health.data.healthy) note(health);
      return health;
    },
    close: () => closeBoth(stores),
  });
}
