import { createMemoryConnectionError, type MemoryErrorUnion } from "../errors.ts";
import { tell } from "../observer.ts";
import type { MemoryProvider } from "../provider.ts";
import { createFailure, createSuccess, type Result } from "../result.ts";
import type { Circuit } from "./circuit.ts";
import { createDiversions } from "./diversions.ts";
import type { FallbackSettings, Operation } from "./options.ts";
import { createStaleReads, idsOf } from "./stale-reads.ts";

type Ask<T> = (provider: MemoryProvider) => Promise<Result<T>>;

interface Call {
  readonly operation: Operation;
  readonly conversationId?: string;
}

interface ConversationCall extends Call {
  readonly conversationId: string;
}

export interface Stores {
  readonly primary: MemoryProvider;
  readonly fallback: MemoryProvider;
  readonly circuit: Circuit;
  readonly settings: FallbackSettings;
}

interface Question<T> {
  readonly ask: Ask<T>;
  /** Told of a success of the primary. */
  readonly onPrimary?: () => void;
  /** Told of a success of the fallback. */
  readonly onFallback?: (data: T) => void;
}

/** Asks the primary and, when it is out of reach, the fallback. */
export async function askEither<T>(
  { primary, fallback, circuit, settings }: Stores,
  call: Call,
  { ask, onPrimary, onFallback }: Question<T>,
): Promise<Result<T>> {
  let error: MemoryErrorUnion | undefined = circuit.blockedBy();
  if (error === undefined) {
    const note = circuit.begin();
    const result = await ask(primary);
    error = note(result);
    if (result.success) onPrimary?.();
    if (error === undefined) return result;
  }
  tell("onFallback", settings.onFallback, { ...call, error });
  const result = await ask(fallback);
  if (result.success) onFallback?.(result.data);
  return result;
}

/** Writes are never held back from a primary that may have recovered: only reads go by the circuit. */
async function askPrimary<T>({ primary, circuit }: Stores, ask: Ask<T>): Promise<Result<T>> {
  const note = circuit.begin();
  const result = await ask(primary);
  note(result);
  return result;
}

/** What differs between the two ways to treat writes. */
export interface Routing {
  readonly read: <T>(call: ConversationCall, ask: Ask<T>) => Promise<Result<T>>;
  readonly find: MemoryProvider["findConversations"];
  readonly write: (call: ConversationCall, ask: Ask<void>) => Promise<Result<void>>;
  readonly deleteConversation: MemoryProvider["deleteConversation"];
  readonly clearUserConversations: MemoryProvider["clearUserConversations"];
}

const staleRead = (operation: Operation): MemoryErrorUnion => ({
  ...createMemoryConnectionError("primary", "it was out of reach", { operation }),
  message:
    "The fallback answered the latest read of this conversation, and may lag. Read the conversation again and decide anew: it can be written once the primary has answered a read of it.",
});

export function failWrites(stores: Stores): Routing {
  const stale = createStaleReads();
  return {
    read: (call, ask) =>
      askEither(stores, call, {
        ask,
        onPrimary: () => stale.remove(call.conversationId),
        onFallback: () => stale.add(call.conversationId),
      }),
    find: (query) =>
      askEither(
        stores,
        { operation: "findConversations" },
        {
          ask: (store) => store.findConversations(query),
          onFallback: (found) => idsOf(query, found).forEach(stale.add),
        },
      ),
    write: async ({ operation, conversationId }, ask) =>
      stale.has(conversationId) ? createFailure(staleRead(operation)) : askPrimary(stores, ask),
    deleteConversation: (id) => askPrimary(stores, (store) => store.deleteConversation(id)),
    clearUserConversations: (userId) => askPrimary(stores, (store) => store.clearUserConversations(userId)),
  };
}

export function divertWrites(stores: Stores): Routing {
  const { fallback } = stores;
  const diversions = createDiversions(fallback);

  /** What is deleted must not be left in, or come back from, either store. */
  async function remove<T>(ask: Ask<T>, join: (first: T, second: T) => T): Promise<Result<T>> {
    const first = await askPrimary(stores, ask);
    if (!first.success) return first;
    const second = await ask(fallback);
    return second.success ? createSuccess(join(first.data, second.data)) : second;
  }

  return {
    read: (call, ask) =>
      diversions.read(call.conversationId, {
        there: () => ask(fallback),
        elsewhere: () => askEither(stores, call, { ask }),
      }),
    find: (query) =>
      askEither(
        stores,
        { operation: "findConversations" },
        { ask: (store) => store.findConversations(query) },
      ),
    write: (call, ask) =>
      diversions.write(call.conversationId, {
        there: () => ask(fallback),
        elsewhere: () =>
          askEither(stores, call, { ask, onFallback: () => diversions.add(call.conversationId) }),
      }),
    deleteConversation: (id) =>
      diversions.removing(id, () =>
        remove(
          (store) => store.deleteConversation(id),
          (a, b) => a || b,
        ),
      ),
    clearUserConversations: (userId) =>
      diversions.clearing(userId, () =>
        remove(
          (store) => store.clearUserConversations(userId),
          (a, b) => a + b,
        ),
      ),
  };
}
