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
 * The primary, with another provider that is used while the primary is out of reach, that is, while it fails with a
 * retryable `MemoryConnectionError`. All other failures are returned as they are.
 *
 * - Reads go to the fallback during an outage, and for `cooldownMs` straight to it.
 * - Writes fail by default. A write also fails while the latest read of its conversation came from the fallback: read again
 *   and decide again. With `writes: "fallback"` they go to the fallback, and are replayed on the primary, in order and
 *   once, when it responds. What can't be replayed becomes a dead letter, see `findDeadLetters`.
 * - Warning: by default deletions reach only the primary, so the fallback may still show deleted data. With
 *   `writes: "fallback"` they delete from both stores. They always need the primary.
 * - `healthCheck` is the primary's, and `close` closes both.
 *
 * For retries, wrap the primary: `withFallback(withRetry(primary), fallback)`. All guarantees are in the guide on outages,
 * docs/outages.md. Throws a `TypeError` for invalid options, and for a fallback that is no provider.
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
