import type { MemoryProvider, Result } from "@jaf/memory";
import type { PeerProvider } from "../peers.ts";
import { messagesOf, nextTurn } from "../turns.ts";

export const RECENT = 20;

/** What is measured on every store. Each call checks that the work was done. */
export interface Store {
  /** Makes the conversation one of this many messages. */
  readonly seed: (conversationId: string, count: number) => Promise<void>;
  /** A turn of two messages. */
  readonly append: (conversationId: string) => Promise<void>;
  /** The last 20 messages, parsed; how many there were. */
  readonly recent: (conversationId: string) => Promise<number>;
  /** All messages, parsed; how many there were. */
  readonly load: (conversationId: string) => Promise<number>;
  /** See `Contender`. */
  readonly settle?: () => Promise<void>;
}

/** The value of a success. Throws what a failure says. */
export function unwrap<T>(result: Result<T>): T {
  if (!result.success) throw result.error;
  return result.data;
}

export const jafStore = (provider: MemoryProvider): Store => ({
  seed: async (id, count) => unwrap(await provider.storeMessages(id, messagesOf(count))),
  append: async (id) => unwrap(await provider.appendMessages(id, nextTurn())),
  recent: async (id) => unwrap(await provider.getRecentMessages(id, RECENT)).length,
  load: async (id) => unwrap(await provider.getConversation(id))?.messages.length ?? 0,
});

/** As the engine stores a turn: with the user, a trace of its own and an idempotency key. */
export const engineStore = (provider: MemoryProvider): Store => ({
  ...jafStore(provider),
  append: async (id) => {
    const run = crypto.randomUUID();
    const metadata = { userId: "user", traceId: run };
    unwrap(await provider.appendMessages(id, nextTurn(), metadata, { idempotencyKey: `${run}:1` }));
  },
});

export function peerStore(provider: PeerProvider, settle: () => Promise<void>): Store {
  const data = async (call: ReturnType<PeerProvider["getConversation"]>): Promise<unknown> => {
    const { success, data, error } = await call;
    if (!success) throw error;
    return data;
  };
  return {
    seed: async (id, count) => void (await data(provider.storeMessages(id, messagesOf(count)))),
    append: async (id) => void (await data(provider.appendMessages(id, nextTurn()))),
    recent: async (id) => ((await data(provider.getRecentMessages(id, RECENT))) as unknown[]).length,
    load: async (id) =>
      ((await data(provider.getConversation(id))) as { messages: unknown[] }).messages.length,
    settle,
  };
}
