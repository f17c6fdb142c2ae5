import { createMemoryConnectionError, type MemoryErrorUnion } from "../errors.ts";
import type { ConversationMemory, MemoryQuery } from "../provider.ts";
import { createFailure } from "../result.ts";
import type { Operation } from "./options.ts";
import { callEither, callPrimary, checkHealth, type Routing, type Stores } from "./primary-and-fallback.ts";
import { conversationIdOf, sendWrite } from "./write-request.ts";

const staleRead = (operation: Operation): MemoryErrorUnion => ({
  ...createMemoryConnectionError("primary", "it was out of reach", { operation }),
  message:
    "The fallback answered the latest read of this conversation, and may lag. Read the conversation again and decide again: it can be written once the primary has answered a read of it.",
});

export function failWrites(stores: Stores): Routing {
  const stale = createStaleReads();
  return {
    read: (call, send) =>
      callEither(stores, call, {
        send,
        onPrimary: () => stale.remove(call.conversationId),
        onFallback: () => stale.add(call.conversationId),
      }),
    find: (query) =>
      callEither(
        stores,
        { operation: "findConversations" },
        {
          send: (store) => store.findConversations(query),
          onFallback: (found) => idsOf(query, found).forEach(stale.add),
        },
      ),
    write: async (request) =>
      stale.has(conversationIdOf(request))
        ? createFailure(staleRead(request.operation))
        : callPrimary(stores, (store) => sendWrite(store, request)),
    deleteConversation: (id) => callPrimary(stores, (store) => store.deleteConversation(id)),
    clearUserConversations: (userId) => callPrimary(stores, (store) => store.clearUserConversations(userId)),
    // Without an argument is everybody's, with `undefined` is refused.
    getStats: (...user) =>
      callEither(stores, { operation: "getStats" }, { send: (store) => store.getStats(...user) }),
    healthCheck: () => checkHealth(stores),
    close: async () => {},
  };
}

const MAX_CONVERSATIONS = 100_000;

/** Which conversations were last read from the fallback: the last 100,000 of them. */
interface StaleReads {
  readonly has: (conversationId: string) => boolean;
  readonly add: (conversationId: string) => void;
  readonly remove: (conversationId: string) => void;
}

function createStaleReads(): StaleReads {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.delete(id); // To the end: what was read last is forgotten last.
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > MAX_CONVERSATIONS && oldest !== undefined) ids.delete(oldest);
    },
    remove: (id) => void ids.delete(id),
  };
}

/** The conversations that a listing returned, and the one that it was asked for. */
const idsOf = (query: MemoryQuery, found: readonly ConversationMemory[]): readonly string[] => [
  ...(query.conversationId === undefined ? [] : [query.conversationId]),
  ...found.map(({ conversationId }) => conversationId),
];
