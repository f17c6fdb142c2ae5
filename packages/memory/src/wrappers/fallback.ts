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

/** A read that went to the fallback. */
export interface FallbackEvent {
  readonly operation: Operation;
  /** The conversation that was read. Absent for calls about several. */
  readonly conversationId?: string;
  /** The primary's last connection error, the reason for the fallback. */
  readonly error: MemoryErrorUnion;
}

const fallbackSchema = z.strictObject({
  /** How long reads skip the primary after a connection error, in milliseconds. Default 5,000. */
  cooldownMs: z.number().min(0).max(2_147_483_647).default(5_000),
  /** Called for each read that goes to the fallback. */
  onFallback: z
    .custom<(event: FallbackEvent) => void>((value) => typeof value === "function", {
      error: "expected a function",
    })
    .optional(),
});

/** Options of `withFallback`. */
export type FallbackOptions = z.input<typeof fallbackSchema>;

type FallbackSettings = z.output<typeof fallbackSchema>;

/** A property of providers from `withFallback`. Wrappers around them pass it on. */
export const ANSWERS_FROM_FALLBACK = "answersFromFallback";

/**
 * Whether reads may come from a store without the latest writes. If so, a conversation that a read doesn't find may
 * still exist.
 */
export const mayAnswerFromFallback = (provider: object): boolean => ANSWERS_FROM_FALLBACK in provider;

/**
 * Wraps the primary with a fallback provider that answers reads while the primary can't be reached, that is, while it
 * fails with a retryable `MemoryConnectionError`. All other failures are returned unchanged.
 *
 * - During an outage, reads go to the fallback; for `cooldownMs` they skip the primary.
 * - Writes and deletions always need the primary, and fail with its retryable error during an outage. A write also
 *   fails if the latest read of its conversation came from the fallback: read it again and decide again.
 * - Warning: the wrapper never writes to the fallback or deletes from it, so it may still return deleted data.
 * - `healthCheck` checks the primary. `close` closes both.
 *
 * For retries, wrap the primary: `withFallback(withRetry(primary), fallback)`. See the guide on outages,
 * docs/outages.md. Throws a `TypeError` for invalid options, or if the fallback is not a provider.
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
    // No argument means all users; `undefined` is refused.
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

/** Chooses the store for each call. */
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
    /** Also calls the primary during the cooldown: it may have recovered. */
    write: async (operation: Operation, conversationId: string, send: () => Promise<Result<void>>) =>
      stale.has(conversationId) ? createFailure(staleRead(operation)) : callPrimary(send),
  };
}

/** The optional methods that the primary has. */
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
      // The provider refuses an invalid record.
      importConversation: (...args) =>
        write("importConversation", args[0]?.conversationId, () => importConversation(...args)),
    }),
    // The fallback's messages prove nothing about the primary's.
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
  // A random incarnation: every store that compares incarnations refuses a write that expects it.
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

/** Closes both, even if one of them throws instead of returning a failure. Then it rejects with the thrown value. */
async function closeBoth(primary: MemoryProvider, fallback: MemoryProvider): Promise<Result<void>> {
  const close = async (provider: MemoryProvider) => provider.close();
  const [first, second] = await Promise.allSettled([close(primary), close(fallback)]);
  if (first.status === "rejected") throw first.reason;
  if (second.status === "rejected") throw second.reason;
  return first.value.success ? second.value : first.value;
}

/** Tracks whether reads skip the primary. With half-open connections, each read would wait for its timeout. */
function createOutage(cooldownMs: number) {
  let failure: MemoryErrorUnion | undefined;
  let nextAttempt = 0;
  return {
    /** Returns the primary's last connection error, or `undefined` if the primary should be asked. */
    blockedBy: (): MemoryErrorUnion | undefined => {
      const now = performance.now();
      if (failure !== undefined && now < nextAttempt) return failure;
      // This read tests the primary for all; the others don't have to wait for it.
      if (failure !== undefined) nextAttempt = now + cooldownMs;
      return undefined;
    },
    /**
     * Returns the error if the primary can't be reached. Some refusals are decided without the store, so they prove
     * nothing.
     */
    record: (result: Result<unknown>): MemoryErrorUnion | undefined => {
      if (result.success) {
        failure = undefined;
        return undefined;
      }
      // A closed provider is not an outage: its error isn't retryable.
      if (!isMemoryConnectionError(result.error) || !result.error.retryable) return undefined;
      failure = result.error;
      nextAttempt = performance.now() + cooldownMs;
      return failure;
    },
  };
}

const MAX_CONVERSATIONS = 100_000;

/** The conversations with a latest read from the fallback, at most 100,000. */
function createStaleReads() {
  const ids = new Map<string, true>();
  return {
    has: (id: string): boolean => ids.has(id),
    add: (id: string): void => setBounded(ids, [id, true], MAX_CONVERSATIONS),
    remove: (id: string): void => void ids.delete(id),
  };
}

/** The ids in a listing, and the id in its query. */
const idsOf = (query: MemoryQuery, found: readonly ConversationMemory[]): readonly string[] => [
  ...(query.conversationId === undefined ? [] : [query.conversationId]),
  ...found.map(({ conversationId }) => conversationId),
];

const staleRead = (operation: Operation): MemoryErrorUnion => ({
  ...createMemoryConnectionError("primary", "it was out of reach", { operation }),
  message:
    "The latest read of this conversation came from the fallback, which may lag. Read the conversation again and decide again: it can be written once the primary has answered a read of it.",
});
