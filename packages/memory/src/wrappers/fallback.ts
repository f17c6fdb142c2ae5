import * as z from "zod";
import { parseOptions } from "../codec/checks.ts";
import {
  createFailure,
  createMemoryConnectionError,
  createSuccess,
  isMemoryConnectionError,
  type MemoryErrorUnion,
  type Result,
} from "../contract/errors.ts";
import type { ConversationMemory, MemoryProvider, MemoryQuery } from "../contract/provider.ts";
import {
  type ConversationReading,
  type Operation,
  type ReadOptions,
  type VersionedMemoryProvider,
  type VersionedMethods,
  versionedMethods,
} from "../contract/versioned-provider.ts";
import { copyArgument, extendObject, setBounded } from "../runtime/objects.ts";
import { notifyObserver } from "../runtime/observer.ts";
import { readFrom } from "./read-from.ts";

/** A read that was sent to the fallback because the primary can't be reached. */
export interface FallbackEvent {
  readonly operation: Operation;
  /** The conversation that was read. Absent for methods that read several conversations (e.g. `findConversations`). */
  readonly conversationId?: string;
  /** The primary's last connection error, because of which the read was sent to the fallback. */
  readonly error: MemoryErrorUnion;
}

const fallbackSchema = z.strictObject({
  /**
   * For this many milliseconds after a connection error of the primary, reads go to the fallback without asking the
   * primary. Default 5,000.
   */
  cooldownMs: z.number().min(0).max(2_147_483_647).default(5_000),
  /** Called for each read that is sent to the fallback. */
  onFallback: z
    .custom<(event: FallbackEvent) => void>((value) => typeof value === "function", {
      error: "expected a function",
    })
    .optional(),
});

/** Options of `withFallback`. */
export type FallbackOptions = z.input<typeof fallbackSchema>;

type FallbackSettings = z.output<typeof fallbackSchema>;

/** The name of a property that marks providers from `withFallback`, and wrappers around them. */
export const ANSWERS_FROM_FALLBACK = "answersFromFallback";

/** Whether the provider's reads may be answered by a fallback, which may lack the latest writes. */
export const mayAnswerFromFallback = (provider: object): boolean => ANSWERS_FROM_FALLBACK in provider;

/**
 * Wraps a primary provider and a fallback provider. The fallback answers reads while the primary can't be reached:
 * while it fails with a retryable `MemoryConnectionError`. All other failures of the primary are returned unchanged.
 *
 * - Reads: a read that fails with such an error is sent to the fallback. For `cooldownMs` after the error, all reads go
 *   to the fallback without asking the primary.
 * - Writes and deletions: they are always sent to the primary. If the primary can't be reached, they fail with the
 *   primary's retryable error.
 * - Writes after a read from the fallback: a write fails if the latest read of its conversation came from the fallback,
 *   which may have returned old data. Read the conversation again, and then decide again what to write.
 * - Warning: this wrapper never writes to the fallback or deletes from it. Therefore the fallback may still return
 *   deleted data.
 * - `healthCheck` checks the primary. `close` closes both providers.
 *
 * For retries, wrap the primary: `withFallback(withRetry(primary), fallback)`. The guide on outages is docs/outages.md.
 * Throws a `TypeError` if an option is invalid or the fallback is not a provider.
 *
 * @example
 * ```ts
 * import { type MemoryProvider, withFallback, withRetry } from "@jaf/memory";
 *
 * declare const primary: MemoryProvider;
 * declare const replica: MemoryProvider;
 *
 * export const provider = withFallback(withRetry(primary), replica, {
 *   onFallback: ({ operation, error }) => console.warn(operation, error.message),
 * });
 * ```
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
  const routing = createRouting({ primary, fallback, settings });
  const { read, readEither, write, callPrimary } = routing;
  const methods = {
    storeMessages: (...args) => write("storeMessages", args[0], () => primary.storeMessages(...args)),
    appendMessages: (...args) => write("appendMessages", args[0], () => primary.appendMessages(...args)),
    getConversation: (id) => read("getConversation", id, (store) => store.getConversation(id)),
    getRecentMessages: (id, limit) =>
      read("getRecentMessages", id, (store) => store.getRecentMessages(id, limit)),
    ...routeVersioned(primary, routing),
    findConversations: (query) => routing.find(copyArgument(query)),
    deleteConversation: (id) => callPrimary(() => primary.deleteConversation(id)),
    clearUserConversations: (userId) => callPrimary(() => primary.clearUserConversations(userId)),
    // The arguments are passed on as they are: no argument means all users, but the provider refuses `undefined`.
    getStats: (...user) => readEither({ operation: "getStats" }, (store) => store.getStats(...user)),
    healthCheck: routing.checkHealth,
    close: () => closeBoth(primary, fallback),
    [ANSWERS_FROM_FALLBACK]: true,
  } satisfies Partial<VersionedMemoryProvider> & Record<typeof ANSWERS_FROM_FALLBACK, true>;
  return extendObject(primary, methods);
}

interface Stores {
  readonly primary: MemoryProvider;
  readonly fallback: MemoryProvider;
  readonly settings: FallbackSettings;
}

type StoreRead<T> = (store: MemoryProvider) => Promise<Result<T>>;

type Routing = ReturnType<typeof createRouting>;

/** Creates the functions that decide for each call whether the primary or the fallback gets it. */
function createRouting({ primary, fallback, settings }: Stores) {
  const outage = createOutage(settings.cooldownMs);
  const stale = createStaleReads();

  const callPrimary = async <T>(send: () => Promise<Result<T>>): Promise<Result<T>> => {
    const result = await send();
    outage.record(result);
    return result;
  };

  async function readEither<T>(
    call: Omit<FallbackEvent, "error">,
    send: StoreRead<T>,
    onAnswer?: (from: "primary" | "fallback", data: T) => void,
  ): Promise<Result<T>> {
    let error = outage.blockedBy();
    if (error === undefined) {
      const result = await send(primary);
      error = outage.record(result);
      if (result.success) onAnswer?.("primary", result.data);
      if (error === undefined) return result;
    }
    notifyObserver("onFallback", settings.onFallback, { ...call, error });
    const result = await send(fallback);
    if (result.success) onAnswer?.("fallback", result.data);
    return result;
  }

  return {
    callPrimary,
    readEither,
    checkHealth: async () => {
      const health = await primary.healthCheck();
      if (health.success && health.data.healthy) outage.record(health);
      return health;
    },
    read: <T>(operation: Operation, conversationId: string, send: StoreRead<T>) =>
      readEither({ operation, conversationId }, send, (from) =>
        from === "primary" ? stale.remove(conversationId) : stale.add(conversationId),
      ),
    find: (query: MemoryQuery) =>
      readEither(
        { operation: "findConversations" },
        (store) => store.findConversations(query),
        (from, found) => {
          if (from === "fallback") idsOf(query, found).forEach(stale.add);
        },
      ),
    /**
     * Sends a write to the primary. Fails without a call of the primary if the latest read of the conversation came
     * from the fallback.
     */
    write: async (operation: Operation, conversationId: string, send: () => Promise<Result<void>>) =>
      // This is so even if reads skip the primary now, because the primary may have recovered.
      stale.has(conversationId) ? createFailure(staleRead(operation)) : callPrimary(send),
  };
}

/** Returns those versioned methods that the primary has, with the fallback for reads. */
function routeVersioned(primary: MemoryProvider, { read, write }: Routing): Partial<VersionedMethods> {
  const { readConversation, exportConversation, importConversation, verifyConversation } =
    versionedMethods(primary);
  return {
    ...(readConversation && {
      readConversation: (id, options) => {
        const fixed = copyArgument(options);
        return read("readConversation", id, (store) => readConversationFrom(store, id, fixed));
      },
    }),
    ...(exportConversation && {
      exportConversation: (id) =>
        read("exportConversation", id, (store) => {
          const method = versionedMethods(store).exportConversation;
          return method === undefined ? noExport() : method(id);
        }),
    }),
    ...(importConversation && {
      // The record may be invalid. The primary checks and refuses it.
      importConversation: (...args) =>
        write("importConversation", args[0]?.conversationId, () => importConversation(...args)),
    }),
    // Only the primary can answer: the messages in the fallback prove nothing about the messages in the primary.
    ...(verifyConversation && { verifyConversation }),
  };
}

async function readConversationFrom(
  store: MemoryProvider,
  conversationId: string,
  options: ReadOptions | undefined,
): Promise<Result<ConversationReading>> {
  const read = await readFrom(store, conversationId, options);
  if (!read.success) return read;
  // If the store has no incarnation, return a random one. Then every store that compares incarnations refuses a write
  // whose `expectedIncarnation` is this random value.
  const incarnation = read.data.incarnation ?? crypto.randomUUID();
  return createSuccess({ ...read.data, incarnation, readAt: read.data.readAt ?? new Date() });
}

const noExport = async () =>
  createFailure(
    createMemoryConnectionError(
      "primary",
      "and the fallback has no exportConversation: try again once the primary is back",
      {
        operation: "exportConversation",
      },
    ),
  );

/** Closes both providers. If one of them throws, rejects with its error after both have finished. */
async function closeBoth(primary: MemoryProvider, fallback: MemoryProvider): Promise<Result<void>> {
  // If both throw, rejects with the value that the primary threw.
  const close = async (provider: MemoryProvider) => provider.close();
  const [first, second] = await Promise.allSettled([close(primary), close(fallback)]);
  if (first.status === "rejected") throw first.reason;
  if (second.status === "rejected") throw second.reason;
  return first.value.success ? second.value : first.value;
}

/** Remembers for `cooldownMs` that the primary can't be reached. */
function createOutage(cooldownMs: number) {
  // Otherwise each read during an outage would wait until the primary's connection times out.
  let failure: MemoryErrorUnion | undefined;
  let nextAttempt = 0;
  return {
    /** Returns the primary's last connection error if a read must skip the primary now, otherwise `undefined`. */
    blockedBy: (): MemoryErrorUnion | undefined => {
      const now = performance.now();
      if (failure !== undefined && now < nextAttempt) return failure;
      // This read tests whether the primary has recovered. Other reads still skip the primary and don't wait for this
      // test.
      if (failure !== undefined) nextAttempt = now + cooldownMs;
      return undefined;
    },
    /**
     * Records a result of the primary. Returns its error if the error means that the primary can't be reached,
     * otherwise `undefined`.
     */
    record: (result: Result<unknown>): MemoryErrorUnion | undefined => {
      // A success ends the outage. A failure of another kind doesn't, because the primary may have failed without
      // asking its store (e.g. because of invalid input).
      if (result.success) {
        failure = undefined;
        return undefined;
      }
      // The error of a closed provider isn't retryable, and means no outage.
      if (!isMemoryConnectionError(result.error) || !result.error.retryable) return undefined;
      failure = result.error;
      nextAttempt = performance.now() + cooldownMs;
      return failure;
    },
  };
}

const MAX_CONVERSATIONS = 100_000;

/**
 * Creates a set of the conversations whose latest read came from the fallback. It holds at most 100,000 ids, and drops
 * the oldest.
 */
function createStaleReads() {
  const ids = new Map<string, true>();
  return {
    has: (id: string): boolean => ids.has(id),
    add: (id: string): void => setBounded(ids, [id, true], MAX_CONVERSATIONS),
    remove: (id: string): void => void ids.delete(id),
  };
}

/** Returns the ids of the found conversations and, if the query has one, the conversation id in the query. */
const idsOf = (query: MemoryQuery, found: readonly ConversationMemory[]): readonly string[] => [
  ...(query.conversationId === undefined ? [] : [query.conversationId]),
  ...found.map(({ conversationId }) => conversationId),
];

const staleRead = (operation: Operation): MemoryErrorUnion => ({
  ...createMemoryConnectionError("primary", "it was out of reach", { operation }),
  message:
    "The latest read of this conversation came from the fallback, which may lag. Read the conversation again and decide again: it can be written once the primary has answered a read of it.",
});
