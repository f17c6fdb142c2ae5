import type { MemoryProvider, VersionedMemoryProvider, WriteOptions } from "@jaf/memory";
import { isVersionedProvider } from "@jaf/memory/adapter";
import { RECENT, unwrap } from "../stores/store.ts";
import { messagesOf, nextTurn } from "../turns.ts";

/** One call on one of the conversations that were made for it. */
export type Call = (conversationId: string) => Promise<void>;

interface Workload {
  readonly name: string;
  readonly length: number;
  /** Calls of a round, as a share of the usual number. */
  readonly share: number;
  readonly prepare: (provider: MemoryProvider) => Call;
}

const append = (provider: MemoryProvider): Call => {
  return async (id) => unwrap(await provider.appendMessages(id, nextTurn()));
};

/** With user, a new trace, an idempotency key, and all that a run expects. */
function appendAsTheEngine(provider: MemoryProvider): Call {
  const known = new Map<string, { version: number; readonly incarnation: string | undefined }>();
  return async (id) => {
    let state = known.get(id);
    if (state === undefined) {
      const [found] = unwrap(
        await provider.findConversations({ conversationId: id, includeMessages: false }),
      );
      const { version = 0, incarnation } = found?.metadata ?? {};
      state = { version, incarnation };
      known.set(id, state);
    }
    const run = crypto.randomUUID();
    const { version, incarnation } = state;
    const options: WriteOptions = {
      idempotencyKey: `${run}:1`,
      expectedVersion: version,
      ...(incarnation === undefined ? {} : { expectedIncarnation: incarnation }),
    };
    unwrap(await provider.appendMessages(id, nextTurn(), { userId: "user", traceId: run }, options));
    // Where there are no incarnations, the version counts messages.
    state.version += incarnation === undefined ? 2 : 1;
  };
}

const recent =
  (provider: MemoryProvider): Call =>
  async (id) => {
    const messages = unwrap(await provider.getRecentMessages(id, RECENT));
    if (messages.length === 0) throw new Error("no messages came back");
  };

const load =
  (provider: MemoryProvider): Call =>
  async (id) => {
    const conversation = unwrap(await provider.getConversation(id));
    if (conversation?.messages.length === 0) throw new Error("no messages came back");
  };

/** What both checkouts do. */
export const shared: readonly Workload[] = [
  { name: "append", length: 10, share: 1, prepare: append },
  { name: "append", length: 10_000, share: 1, prepare: append },
  { name: "append as the engine", length: 10, share: 1, prepare: appendAsTheEngine },
  { name: "append as the engine", length: 10_000, share: 1, prepare: appendAsTheEngine },
  { name: "last 20", length: 10, share: 1, prepare: recent },
  { name: "last 20", length: 10_000, share: 1, prepare: recent },
  { name: "load", length: 10, share: 1, prepare: load },
  { name: "load", length: 10_000, share: 0.1, prepare: load },
];

function versioned(provider: MemoryProvider): VersionedMemoryProvider {
  if (isVersionedProvider(provider)) return provider;
  throw new TypeError("this checkout's provider has no readConversation");
}

const MIDDLE = 5_000;

/** What only this checkout does, each beside what it is compared with. */
export const primitives: readonly {
  readonly name: string;
  readonly beside: string;
  readonly length: number;
  readonly prepare: (provider: MemoryProvider) => Call;
  readonly prepareBeside: (provider: MemoryProvider) => Call;
}[] = [
  {
    name: "replace the last 2 by 2",
    beside: "append 2",
    length: 10_000,
    prepare: (provider) => async (id) => {
      unwrap(await provider.appendMessages(id, nextTurn(), {}, { dropLast: 2 }));
    },
    prepareBeside: append,
  },
  {
    name: "20 in the middle",
    beside: "last 20",
    length: 10_000,
    prepare: (provider) => {
      const reader = versioned(provider);
      const messages = { after: MIDDLE, limit: RECENT };
      return async (id) => {
        const { conversation } = unwrap(await reader.readConversation(id, { messages }));
        if (conversation?.messages.length !== RECENT) throw new Error("other messages came back");
      };
    },
    prepareBeside: recent,
  },
];

export const seed = async (provider: MemoryProvider, id: string, length: number): Promise<void> =>
  unwrap(await provider.storeMessages(id, messagesOf(length), { userId: "user" }));
