import { createMemoryValidationError } from "../errors.ts";
import { tell } from "../observer.ts";
import { createFailure, createSuccess, type Result } from "../result.ts";
import { createDiversions } from "./diversions.ts";
import { divert, mayBeDone } from "./divert.ts";
import { clearDiverted, deleteDiverted } from "./diverted-erasure.ts";
import type { Operation } from "./options.ts";
import { isReservedId } from "./reserved-ids.ts";
import type { Routing } from "./routing.ts";
import { createSeenIncarnations } from "./seen-incarnations.ts";
import {
  type Ask,
  askEither,
  askPrimary,
  type ConversationCall,
  checkHealth,
  type Stores,
} from "./stores.ts";
import { findVisible, visibleStats } from "./visible.ts";
import { conversationIdOf, sendWrite, type WriteRequest, withKey } from "./write-request.ts";

/** A listing waits for so many conversations to be replayed; the others follow in the background. */
const LISTED_AFTER = 100;

const refuseReserved = (operation: Operation) =>
  createFailure(
    createMemoryValidationError(
      [{ path: "conversationId", expected: "an id that does not begin with jaf:diverted:" }],
      { provider: "fallback", operation },
    ),
  );

/** Writes go to the fallback while the primary is out of reach, and are replayed on the primary once it answers. */
export function divertWrites(stores: Stores): Routing {
  const { primary, fallback, settings } = stores;
  const diversions = createDiversions(stores);
  const seen = createSeenIncarnations();

  /** Of one conversation, from whichever store answers. */
  const fromEither = <T>(call: ConversationCall, ask: Ask<T>, divertTo: () => Promise<Result<T>>) =>
    askEither(stores, call, {
      ask: (store) => (store === primary ? ask(store) : divertTo()),
      onPrimary: (data) => {
        seen.note(call.conversationId, data);
        diversions.replayAll();
      },
      onFallback: diversions.noteOutage,
    });

  /** After what was diverted before, where that can be replayed. Call it in turn. */
  async function route<T>(
    call: ConversationCall,
    ask: Ask<T>,
    there: () => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const place = await diversions.locate(call.conversationId);
    if (!place.success) return place;
    if (place.data.at === "primary") return fromEither(call, ask, there);
    tell("onFallback", settings.onFallback, { ...call, error: place.data.error });
    diversions.noteOutage();
    return there();
  }

  async function divertInTurn(conversationId: string, request: WriteRequest): Promise<Result<void>> {
    const diverted = await divert({ fallback, seen: seen.of(conversationId) }, request);
    if (diverted.success || mayBeDone(diverted.error)) diversions.add(conversationId);
    return diverted;
  }

  /** Asks the primary; its answer may end an outage. */
  async function insist<T>(ask: Ask<T>): Promise<Result<T>> {
    const result = await askPrimary(stores, ask);
    if (result.success) diversions.replayAll();
    return result;
  }

  return {
    read: async (call, ask) => {
      const { conversationId, operation } = call;
      if (isReservedId(conversationId)) return refuseReserved(operation);
      await diversions.loaded();
      const there = () => ask(fallback);
      return diversions.has(conversationId)
        ? diversions.inTurn(conversationId, () => route(call, ask, there))
        : fromEither(call, ask, there);
    },

    find: async (query) => {
      await diversions.loaded();
      const id = query?.conversationId;
      if (id === undefined) await diversions.replaySome(LISTED_AFTER);
      else if (diversions.has(id)) {
        const place = await diversions.inTurn(id, () => diversions.locate(id));
        if (!place.success) return place;
      }
      return askEither(
        stores,
        { operation: "findConversations" },
        {
          ask: (store) => (store === primary ? store.findConversations(query) : findVisible(store, query)),
          onPrimary: diversions.replayAll,
          onFallback: diversions.noteOutage,
        },
      );
    },

    write: async (given) => {
      const request = withKey(given);
      const conversationId = conversationIdOf(request);
      const { operation } = request;
      if (isReservedId(conversationId)) return refuseReserved(operation);
      await diversions.loaded();
      return diversions.inTurn(conversationId, () =>
        route(
          { operation, conversationId },
          (store) => sendWrite(store, request),
          () => divertInTurn(conversationId, request),
        ),
      );
    },

    deleteConversation: async (conversationId) => {
      if (isReservedId(conversationId)) return refuseReserved("deleteConversation");
      await diversions.loaded();
      return diversions.inTurn(conversationId, async () => {
        const first = await insist((store) => store.deleteConversation(conversationId));
        if (!first.success) return first;
        seen.forget(conversationId);
        const second = await deleteDiverted(fallback, conversationId);
        if (!second.success) return second;
        const wasDiverted = diversions.has(conversationId);
        diversions.remove(conversationId);
        return createSuccess(first.data || second.data || wasDiverted);
      });
    },

    clearUserConversations: async (userId) => {
      await diversions.loaded();
      const first = await insist((store) => store.clearUserConversations(userId));
      if (!first.success) return first;
      seen.forgetAll(); // Which of them were the user's is not known here.
      const second = await diversions.alone(() => clearDiverted({ fallback, diversions }, userId));
      return second.success ? createSuccess(first.data + second.data) : second;
    },

    // Without an argument is everybody's, with `undefined` is refused.
    getStats: (...user) =>
      askEither(
        stores,
        { operation: "getStats" },
        {
          ask: (store) => (store === primary ? store.getStats(...user) : visibleStats(store, user)),
          onPrimary: diversions.replayAll,
          onFallback: diversions.noteOutage,
        },
      ),

    healthCheck: async () => {
      const health = await checkHealth(stores);
      if (health.success && health.data.healthy) diversions.replayAll();
      return health;
    },

    close: diversions.close,
  };
}
