import { setBounded } from "../bounded-map.ts";
import { createMemoryValidationError } from "../errors.ts";
import { notifyObserver } from "../observer.ts";
import type { ConversationMemory } from "../provider.ts";
import { createFailure, createSuccess, type Result } from "../result.ts";
import { clearUserInFallback, deleteFromFallback } from "./fallback-erasure.ts";
import type { Operation } from "./options.ts";
import { createPendingReplays } from "./pending-replays.ts";
import {
  type ConversationCall,
  callEither,
  callPrimary,
  checkHealth,
  type ProviderCall,
  type Routing,
  type Stores,
} from "./primary-and-fallback.ts";
import { isReservedId } from "./reserved-ids.ts";
import { findVisible, visibleStats } from "./visible-conversations.ts";
import { conversationIdOf, sendWrite, type WriteRequest, withKey } from "./write-request.ts";
import { mayBeDone, writeToFallback } from "./write-to-fallback.ts";

/** A listing waits for so many conversations to be replayed; the others follow in the background. */
const REPLAYED_BEFORE_LISTING = 100;

const refuseReserved = (operation: Operation) =>
  createFailure(
    createMemoryValidationError(
      [{ path: "conversationId", expected: "an id that does not begin with jaf:diverted:" }],
      { provider: "fallback", operation },
    ),
  );

/** Writes go to the fallback while the primary is out of reach, and are replayed on the primary once it answers. */
export function routeWritesToFallback(stores: Stores): Routing {
  const { primary, fallback, settings } = stores;
  const pendingReplays = createPendingReplays(stores);
  const seen = createSeenIncarnations();

  /** Of one conversation, from whichever store answers. */
  const fromEither = <T>(
    call: ConversationCall,
    send: ProviderCall<T>,
    callFallback: () => Promise<Result<T>>,
  ) =>
    callEither(stores, call, {
      send: (store) => (store === primary ? send(store) : callFallback()),
      onPrimary: (data) => {
        seen.record(call.conversationId, data);
        pendingReplays.replayAll();
      },
      onFallback: pendingReplays.recordOutage,
    });

  /** After the replay of earlier fallback writes, where that is possible. Call it from `inTurn`. */
  async function route<T>(
    call: ConversationCall,
    send: ProviderCall<T>,
    callFallback: () => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const location = await pendingReplays.locate(call.conversationId);
    if (!location.success) return location;
    if (location.data.at === "primary") return fromEither(call, send, callFallback);
    notifyObserver("onFallback", settings.onFallback, { ...call, error: location.data.error });
    pendingReplays.recordOutage();
    return callFallback();
  }

  async function writeToFallbackInTurn(conversationId: string, request: WriteRequest): Promise<Result<void>> {
    const written = await writeToFallback({ fallback, seen: seen.of(conversationId) }, request);
    if (written.success || mayBeDone(written.error)) pendingReplays.add(conversationId);
    return written;
  }

  /** A success of the primary ends an outage, and starts the replay in the background. */
  async function callPrimaryAndReplay<T>(send: ProviderCall<T>): Promise<Result<T>> {
    const result = await callPrimary(stores, send);
    if (result.success) pendingReplays.replayAll();
    return result;
  }

  return {
    read: async (call, send) => {
      const { conversationId, operation } = call;
      if (isReservedId(conversationId)) return refuseReserved(operation);
      await pendingReplays.loaded();
      const callFallback = () => send(fallback);
      return pendingReplays.has(conversationId)
        ? pendingReplays.inTurn(conversationId, () => route(call, send, callFallback))
        : fromEither(call, send, callFallback);
    },

    find: async (query) => {
      await pendingReplays.loaded();
      const id = query?.conversationId;
      if (id === undefined) await pendingReplays.replaySome(REPLAYED_BEFORE_LISTING);
      else if (pendingReplays.has(id)) {
        const location = await pendingReplays.inTurn(id, () => pendingReplays.locate(id));
        if (!location.success) return location;
      }
      return callEither(
        stores,
        { operation: "findConversations" },
        {
          send: (store) => (store === primary ? store.findConversations(query) : findVisible(store, query)),
          onPrimary: pendingReplays.replayAll,
          onFallback: pendingReplays.recordOutage,
        },
      );
    },

    write: async (given) => {
      const request = withKey(given);
      const conversationId = conversationIdOf(request);
      const { operation } = request;
      if (isReservedId(conversationId)) return refuseReserved(operation);
      await pendingReplays.loaded();
      return pendingReplays.inTurn(conversationId, () =>
        route(
          { operation, conversationId },
          (store) => sendWrite(store, request),
          () => writeToFallbackInTurn(conversationId, request),
        ),
      );
    },

    deleteConversation: async (conversationId) => {
      if (isReservedId(conversationId)) return refuseReserved("deleteConversation");
      await pendingReplays.loaded();
      return pendingReplays.inTurn(conversationId, async () => {
        const first = await callPrimaryAndReplay((store) => store.deleteConversation(conversationId));
        if (!first.success) return first;
        seen.delete(conversationId);
        const second = await deleteFromFallback(fallback, conversationId);
        if (!second.success) return second;
        const hadFallbackWrites = pendingReplays.has(conversationId);
        pendingReplays.remove(conversationId);
        return createSuccess(first.data || second.data || hadFallbackWrites);
      });
    },

    clearUserConversations: async (userId) => {
      await pendingReplays.loaded();
      const first = await callPrimaryAndReplay((store) => store.clearUserConversations(userId));
      if (!first.success) return first;
      seen.clear(); // Which of them were the user's is not known here.
      const second = await pendingReplays.alone(() =>
        clearUserInFallback({ fallback, pendingReplays }, userId),
      );
      return second.success ? createSuccess(first.data + second.data) : second;
    },

    // Without an argument is everybody's, with `undefined` is refused.
    getStats: (...user) =>
      callEither(
        stores,
        { operation: "getStats" },
        {
          send: (store) => (store === primary ? store.getStats(...user) : visibleStats(store, user)),
          onPrimary: pendingReplays.replayAll,
          onFallback: pendingReplays.recordOutage,
        },
      ),

    healthCheck: async () => {
      const health = await checkHealth(stores);
      if (health.success && health.data.healthy) pendingReplays.replayAll();
      return health;
    },

    close: pendingReplays.close,
  };
}

const MAX_CONVERSATIONS = 100_000;

/** The incarnations that the primary gave last: of the 100,000 conversations that were read last. */
interface SeenIncarnations {
  readonly of: (conversationId: string) => string | undefined;
  /** Records the incarnation in what a read of the primary returned, if it has one. */
  readonly record: (conversationId: string, data: unknown) => void;
  readonly delete: (conversationId: string) => void;
  readonly clear: () => void;
}

const textOf = (value: unknown, field: string): string | undefined => {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
  return typeof text === "string" ? text : undefined;
};

function createSeenIncarnations(): SeenIncarnations {
  const seen = new Map<string, string>();
  const set = (id: string, incarnation: string | undefined): void => {
    if (incarnation !== undefined) setBounded(seen, [id, incarnation], MAX_CONVERSATIONS);
  };
  return {
    of: (id) => seen.get(id),
    record: (id, data) =>
      set(
        id,
        textOf(data, "incarnation") ??
          textOf((data as Partial<ConversationMemory> | null)?.metadata, "incarnation"),
      ),
    delete: (id) => void seen.delete(id),
    clear: () => seen.clear(),
  };
}
