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

/** A read went to the fallback. */
export interface FallbackEvent {
  readonly operation: Operation;
  /** The conversation that was read; absent for calls about several. */
  readonly conversationId?: string;
  /** Why: the last connection error of the primary. */
  readonly error: MemoryErrorUnion;
}

const fallbackSchema = z.strictObject({
  /**
   * How long after a connection error reads go straight to the fallback, before one goes to the primary again. Default
   * 5,000.
   */
  cooldownMs: z.number().min(0).max(2_147_483_647).default(5_000),
  /** Called for each read that goes to the fallback. */
  onFallback: z
    .custom<(event: FallbackEvent) => void>((value) => typeof value === "function", {
      error: "expected a function",
    })
    .optional(),
});

export type FallbackOptions = z.input<typeof fallbackSchema>;

type FallbackSettings = z.output<typeof fallbackSchema>;

/** A property that `withFallback` gives its provider, and that wrappers around it pass on. */
export const ANSWERS_FROM_FALLBACK = "answersFromFallback";

/**
 * Whether reads may be answered by another store than the one that has what was written: then what a read doesn't show may
 * be there all the same.
 */
export const mayAnswerFromFallback = (provider: object): boolean => ANSWERS_FROM_FALLBACK in provider;

/**
 * The primary, with another provider that answers reads while the primary is out of reach, that is, while it fails with a
 * retryable `MemoryConnectionError`. All other failures are returned as they are.
 *
 * - Reads go to the fallback during an outage, and for `cooldownMs` straight to it.
 * - Writes and deletions always need the primary, and fail with its retryable error during an outage. A write also fails
 *   while the latest read of its conversation came from the fallback: read again and decide again.
 * - Warning: nothing is written to the fallback or deleted from it, so it may still show deleted data.
 * - `healthCheck` is the primary's, and `close` closes both.
 *
 * For retries, wrap the primary: `withFallback(withRetry(primary), fallback)`. See the guide on outages, docs/outages.md.
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
    // Without an argument is everybody's, with `undefined` is refused.
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

/** Which of the two stores a call goes to. */
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
    /** Goes to the primary also within the cooldown: it may have recovered. */
    write: async (operation: Operation, conversationId: string, send: () => Promise<Result<void>>) =>
      stale.has(conversationId) ? createFailure(staleRead(operation)) : callPrimary(send),
  };
}

/** What only some providers have, for as far as the primary has it. */
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
      // What is no record is for the provider to refuse.
      importConversation: (...args) =>
        write("importConversation", args[0]?.conversationId, () => importConversation(...args)),
    }),
    // What the fallback holds says nothing of what the primary does.
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
  // One that nothing has: a write that expects it is refused by every store that compares incarnations.
  const incarnation = read.data.incarnation ?? crypto.randomUUID();
  return createSuccess({ ...read.data, incarnation, readAt: read.data.readAt ?? new Date() });
}

const noExport = async () =>
  createFailure(
    createMemoryConnectionError(
      "primary",
      "and the fallback has no exportConversation: try again once it is back",
      {
        operation: "exportConversation",
      },
    ),
  );

/** Closes both also when one of them throws instead of returning a failure; then rejects with what it threw. */
async function closeBoth(primary: MemoryProvider, fallback: MemoryProvider): Promise<Result<void>> {
  const close = async (provider: MemoryProvider) => provider.close();
  const [first, second] = await Promise.allSettled([close(primary), close(fallback)]);
  if (first.status === "rejected") throw first.reason;
  if (second.status === "rejected") throw second.reason;
  return first.value.success ? second.value : first.value;
}

/** Whether reads go straight to the fallback: with half-open connections each would wait for the primary's timeout. */
function createOutage(cooldownMs: number) {
  let failure: MemoryErrorUnion | undefined;
  let nextAttempt = 0;
  return {
    /** The primary's last connection error; `undefined`: ask the primary. */
    blockedBy: (): MemoryErrorUnion | undefined => {
      const now = performance.now();
      if (failure !== undefined && now < nextAttempt) return failure;
      // This read tests the primary for all: the others need not wait for one that doesn't answer.
      if (failure !== undefined) nextAttempt = now + cooldownMs;
      return undefined;
    },
    /** Returns the error if it says that the primary is out of reach. A refusal may be decided without the store. */
    record: (result: Result<unknown>): MemoryErrorUnion | undefined => {
      if (result.success) {
        failure = undefined;
        return undefined;
      }
      // A closed provider is no outage: its error isn't retryable.
      if (!isMemoryConnectionError(result.error) || !result.error.retryable) return undefined;
      failure = result.error;
      nextAttempt = performance.now() + cooldownMs;
      return failure;
    },
  };
}

const MAX_CONVERSATIONS = 100_000;

/** Which conversations were last read from the fallback: the last 100,000 of them. */
function createStaleReads() {
  const ids = new Map<string, true>();
  return {
    has: (id: string): boolean => ids.has(id),
    add: (id: string): void => setBounded(ids, [id, true], MAX_CONVERSATIONS),
    remove: (id: string): void => void ids.delete(id),
  };
}

/** The conversations that a listing returned, and the one that it was asked for. */
const idsOf = (query: MemoryQuery, found: readonly ConversationMemory[]): readonly string[] => [
  ...(query.conversationId === undefined ? [] : [query.conversationId]),
  ...found.map(({ conversationId }) => conversationId),
];

const staleRead = (operation: Operation): MemoryErrorUnion => ({
  ...createMemoryConnectionError("primary", "it was out of reach", { operation }),
  message:
    "The fallback answered the latest read of this conversation, and may lag. Read the conversation again and decide again: it can be written once the primary has answered a read of it.",
});
