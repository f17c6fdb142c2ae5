import type { MemoryProvider, Result, WriteOptions } from "@jaf/memory";
import { messagesOf, nextTurn } from "../turns.ts";

export const RECENT = 20;

/** The measured calls of every store. Each call checks its result. */
export interface Store {
  /** Fills the conversation with this many messages. */
  readonly seed: (conversationId: string, count: number) => Promise<void>;
  /** Appends a turn of two messages. */
  readonly append: (conversationId: string) => Promise<void>;
  /** Reads and parses the last 20 messages, and returns their number. */
  readonly recent: (conversationId: string) => Promise<number>;
  /** Reads and parses all messages, and returns their number. */
  readonly load: (conversationId: string) => Promise<number>;
}

/** Returns the value of a success. Throws a failure's message. */
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

/** The engine's metadata of a turn. */
function runMetadata() {
  const run = crypto.randomUUID();
  const lease = { id: run, sign: 1, until: Date.now() + 60_000, leaseMs: 60_000 };
  return { userId: "user", traceId: run, jaf: { runId: run, agentName: "bench", lease } };
}

/** Stores a turn like the engine: with user, trace, its record of the run, and all expectations. */
export function engineStore(provider: MemoryProvider): Store {
  const plain = jafStore(provider);
  const known = new Map<string, { version: number; readonly incarnation: string | undefined }>();
  return {
    ...plain,
    seed: async (id, count) => {
      await plain.seed(id, count);
      const query = { conversationId: id, includeMessages: false };
      const { version = 0, incarnation } = unwrap(await provider.findConversations(query))[0]?.metadata ?? {};
      known.set(id, { version, incarnation });
    },
    append: async (id) => {
      const state = known.get(id);
      if (state === undefined) throw new TypeError(`"${id}" has no messages to append to`);
      const metadata = runMetadata();
      const options: WriteOptions = {
        idempotencyKey: `${metadata.traceId}:1`,
        expectedVersion: state.version,
        ...(state.incarnation === undefined ? {} : { expectedIncarnation: state.incarnation }),
      };
      unwrap(await provider.appendMessages(id, nextTurn(), metadata, options));
      state.version += 1;
    },
  };
}
