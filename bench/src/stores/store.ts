import type { MemoryProvider, Result, WriteOptions } from "@jaf/memory";
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

/** What the engine writes beside the messages of a turn. */
function runMetadata() {
  const run = crypto.randomUUID();
  const lease = { id: run, sign: 1, until: Date.now() + 60_000, leaseMs: 60_000 };
  return { userId: "user", traceId: run, jaf: { runId: run, agentName: "bench", lease } };
}

/** As the engine stores a turn: with user, trace and its record of the run, and with all that it expects. */
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
