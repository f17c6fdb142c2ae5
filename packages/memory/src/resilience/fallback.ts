import { parseOptions } from "../codec/schema-issues.ts";
import type { MemoryProvider } from "../provider.ts";
import { readFrom } from "../read-from.ts";
import { createSuccess, type Result } from "../result.ts";
import type { ConversationReading, ReadOptions, VersionedMemoryProvider } from "../versioned-provider.ts";
import { copyArgument, copyArguments } from "./argument-copy.ts";
import { createCircuit } from "./circuit.ts";
import { extendProvider } from "./extend-provider.ts";
import { failWrites } from "./failing-writes-routing.ts";
import { ANSWERS_FROM_FALLBACK } from "./fallback-mark.ts";
import { routeWritesToFallback } from "./fallback-writes-routing.ts";
import { type FallbackOptions, fallbackSchema } from "./options.ts";
import type { Routing, Stores } from "./primary-and-fallback.ts";
import { type VersionedMethods, versionedMethods } from "./versioned-methods.ts";
import { unsupported } from "./write-request.ts";

/** Closes both also when one of them throws instead of returning a failure; then rejects with what it threw. */
async function closeBoth({ primary, fallback }: Stores): Promise<Result<void>> {
  const close = async (provider: MemoryProvider) => provider.close();
  const [first, second] = await Promise.allSettled([close(primary), close(fallback)]);
  if (first.status === "rejected") throw first.reason;
  if (second.status === "rejected") throw second.reason;
  return first.value.success ? second.value : first.value;
}

/**
 * The primary, with another provider for the time that it is out of reach. Only a retryable `MemoryConnectionError` counts
 * as that: conflicts, invalid input and failures of the store return as they are.
 *
 * **Reads** go to the fallback, and for `cooldownMs` straight to it. They answer with what the fallback holds: a copy that
 * lags, or nothing. Where writes fail, that includes what was deleted from the primary alone.
 *
 * **Writes** fail by default, since the messages would be missing in the primary once it is back. So does, with a retryable
 * `MemoryConnectionError`, a write to a conversation whose latest read the fallback answered, until the primary has
 * answered one: a turn that was answered without its history is not added to it. The last 100,000 such conversations are
 * kept. This is per process and conversation, not per turn: where several turns of one conversation run at once, use
 * `expectedVersion`. A write that expects the incarnation that the fallback gave is a conflict in the primary, unless the
 * conversation is in neither.
 *
 * With `writes: "fallback"` they go to the fallback instead, and are replayed on the primary once that answers:
 * - **No fallback write is lost, and none is done twice.** Before a write is acknowledged, a journal in the fallback has
 *   it, so any later process finds it. It is replayed in the order of its conversation, under its idempotency key, or one
 *   of ours: also what the primary had done before its reply was lost, and a replay that was cut off, or that several
 *   processes do at once, store it once.
 * - **When.** The next call about the conversation waits for its replay, a listing for up to 100 conversations, and the
 *   others follow in the background, one at a time, as soon as the primary answers anything. There is no timer.
 *   `replayFallbackWrites` does it for an operator. Then the fallback's copy is deleted. A conversation whose journal the
 *   fallback can't give for now is out of reach until it can.
 * - **During the outage** a conversation is what the fallback holds of it: its earlier messages, owner, version and
 *   idempotency keys are in the primary, and are not known there. An append that makes no conversation is a
 *   `MemoryNotFoundError`, and another user may take an id whose owner the fallback doesn't know.
 * - **The primary's owner wins.** What another user wrote to the fallback becomes a dead letter, and so does what belongs
 *   to a conversation that was erased in the primary, or replaces or drops what has changed in it, with what the same user
 *   added after it. A dead letter stays in the fallback, in no conversation, until it is dropped: `onDeadLetter` reports it
 *   without content, `findDeadLetters` and `dropDeadLetter` are for operators. A replacement is replayed if the primary
 *   holds the beginning of it, or nothing but what was replayed before it. Where a conversation isn't in the primary, an
 *   erasure of the last 24 hours, of it or of its user, counts as one that came after.
 * - **Expectations** of a version or an incarnation are compared with the store that takes the write. One that the fallback
 *   gave is a conflict once the conversation was replayed: read again, and decide again. A turn whose read the fallback
 *   answered may be written to the primary, if that is back by then: a decision that rests on a read needs
 *   `expectedVersion` or `expectedIncarnation` in its write.
 * - **Several processes** may share a fallback. One that reaches the primary during another's outage doesn't see what that
 *   one has written to the fallback, and writes to the primary before it is replayed. A process learns of journals that
 *   others have left at its first call and after each outage of its own; while it can't read them it goes on without.
 * - **The fallback** has to find by trace, keep what it takes until it is replayed, and be as private as the primary. An
 *   in-memory one loses all with its process, and what exceeds its limits: count two conversations for each that is written
 *   to during an outage, and two messages for each write. Ids that begin with `jaf:diverted:` are its own, and are refused.
 *   A ttl starts again with the replay.
 * - Writes of one conversation go one after another. `findConversations` and `getStats` tell of one store at a time.
 *
 * A fallback without `readConversation` answers from its `getConversation`; exports and imports fail where the fallback
 * would have to do them and can't.
 *
 * **Deletions** always need the primary, and with `writes: "fallback"` delete from both stores, journals and dead letters
 * included, and add up what both say. `healthCheck` is the primary's, `close` closes both, and methods that are not of the
 * contract are the primary's. For retries, wrap the primary: `withFallback(withRetry(primary), fallback)`.
 *
 * Throws a `TypeError` for invalid options, and for a fallback that is no provider.
 */
export function withFallback<P extends MemoryProvider>(
  primary: P,
  fallback: MemoryProvider,
  options: FallbackOptions = {},
): P {
  const settings = parseOptions(fallbackSchema(), options, "fallback options");
  if (typeof fallback?.getConversation !== "function") {
    throw new TypeError("Invalid fallback: expected a MemoryProvider.");
  }
  const stores: Stores = { primary, fallback, circuit: createCircuit(settings.cooldownMs), settings };
  const routing = settings.writes === "fallback" ? routeWritesToFallback(stores) : failWrites(stores);
  const { read, find, deleteConversation, clearUserConversations } = routing;
  const write =
    (operation: "storeMessages" | "appendMessages"): MemoryProvider["appendMessages"] =>
    (...given) =>
      routing.write({ operation, args: copyArguments(given) });
  const methods = {
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
    getStats: routing.getStats,
    healthCheck: routing.healthCheck,
    close: async () => {
      await routing.close();
      return closeBoth(stores);
    },
    [ANSWERS_FROM_FALLBACK]: true,
  } satisfies Partial<VersionedMemoryProvider> & Record<typeof ANSWERS_FROM_FALLBACK, true>;
  return extendProvider(primary, methods);
}

/** From whichever of the two is asked. */
async function readEither(
  provider: MemoryProvider,
  conversationId: string,
  options: ReadOptions | undefined,
): Promise<Result<ConversationReading>> {
  const read = await readFrom(provider, conversationId, options);
  if (!read.success) return read;
  // One that nothing has: a write that expects it is refused by every store that compares incarnations.
  const incarnation = read.data.incarnation ?? crypto.randomUUID();
  return createSuccess({ ...read.data, incarnation, readAt: read.data.readAt ?? new Date() });
}

/** What only some providers have, for as far as the primary has it. */
function routeVersioned(primary: MemoryProvider, { read, write }: Routing): Partial<VersionedMethods> {
  const { readConversation, exportConversation, importConversation, verifyConversation } =
    versionedMethods(primary);
  return {
    ...(readConversation && {
      readConversation: (conversationId, options) => {
        const fixed = copyArgument(options);
        const call = { operation: "readConversation", conversationId } as const;
        return read(call, (store) => readEither(store, conversationId, fixed));
      },
    }),
    ...(exportConversation && {
      exportConversation: (conversationId) => {
        const call = { operation: "exportConversation", conversationId } as const;
        return read(call, (store) => {
          const method = versionedMethods(store).exportConversation;
          return method === undefined ? unsupported("exportConversation") : method(conversationId);
        });
      },
    }),
    ...(importConversation && {
      importConversation: (...given) =>
        write({ operation: "importConversation", args: copyArguments(given) }),
    }),
    // What the fallback holds says nothing of what the primary does.
    ...(verifyConversation && { verifyConversation }),
  };
}
