import { createMemoryConnectionError, type MemoryErrorUnion } from "../errors.ts";
import type { MemoryProvider } from "../provider.ts";
import { createFailure, type Result } from "../result.ts";
import type { Operation } from "./options.ts";
import {
  type ConversationCall,
  callEither,
  callPrimary,
  checkHealth,
  type ProviderCall,
  type Stores,
} from "./primary-and-fallback.ts";
import { createStaleReads, idsOf } from "./stale-reads.ts";
import { conversationIdOf, sendWrite, type WriteRequest } from "./write-request.ts";

/** What differs between the two ways to treat writes. */
export interface Routing {
  readonly read: <T>(call: ConversationCall, send: ProviderCall<T>) => Promise<Result<T>>;
  readonly find: MemoryProvider["findConversations"];
  /** What it is given is its own. */
  readonly write: (request: WriteRequest) => Promise<Result<void>>;
  readonly deleteConversation: MemoryProvider["deleteConversation"];
  readonly clearUserConversations: MemoryProvider["clearUserConversations"];
  readonly getStats: MemoryProvider["getStats"];
  readonly healthCheck: MemoryProvider["healthCheck"];
  /** Before the stores are closed. */
  readonly close: () => Promise<void>;
}

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
