import * as z from "zod";
import { defineMemoryProvider } from "../backend/define-provider.ts";
import { parseOptions } from "../codec/checks.ts";
import type {
  ConversationQuery,
  ConversationWrite,
  MemoryBackend,
  ReadOutcome,
  ReadRequest,
  StoredConversation,
} from "../contract/backend.ts";
import { createMemoryConflictError, createMemoryStorageError } from "../contract/errors.ts";
import type { MemoryProvider } from "../contract/provider.ts";
import { selectConversations, statsOf, toListed, toRead } from "../in-memory/conversation.ts";
import { createKeyedQueue } from "../runtime/keyed-queue.ts";
import { present, setBounded } from "../runtime/objects.ts";
import {
  activityOf,
  type LoadedConversation,
  localStateOf,
  type StoreState,
  wholeEntry,
} from "./local-state.ts";
import {
  type AnyConversationStore,
  ConversationStoreError,
  invalidInput,
  PROVIDER,
  type ProviderConversationStore,
  storeFailure,
} from "./store.ts";
import { type ListedConversation, listConversations, loadMessages } from "./store-reader.ts";
import { refuseUnsupported, resolveOpenAppend, writeToStore } from "./store-writer.ts";

const MAX_PROVIDERS = 2_000;

const METHODS = ["create", "load", "append", "setTitle", "list"] as const;

/** Shared by all providers of a store in this process, so writes through any of them run one after another. */
const states = new WeakMap<AnyConversationStore, StoreState>();

function stateOf(store: AnyConversationStore): StoreState {
  const state: StoreState = states.get(store) ?? {
    queue: createKeyedQueue(),
    conversations: new Map(),
    providers: new Map(),
  };
  states.set(store, state);
  return state;
}

const optionsSchema = z.strictObject({
  /**
   * The user of the provider. It only shows the conversations that `list(userId)` returns; any other is a
   * `MemoryConflictError` with reason `"owner"`. If absent, `list()` must return the conversations of all users, each
   * with its owner.
   */
  userId: z.string().min(1).exactOptional(),
});

/** Options of `providerOf`. */
export type ProviderOfOptions = z.input<typeof optionsSchema>;

/** Whether the store was made over a provider, by this package or by a subclass or wrapper of its stores. */
export function isProviderConversationStore(store: AnyConversationStore): store is ProviderConversationStore {
  return (
    "threadFor" in store &&
    typeof store.threadFor === "function" &&
    "provider" in store &&
    typeof store.provider === "object" &&
    store.provider !== null &&
    "appendMessages" in store.provider
  );
}

/**
 * Returns the memory provider of a conversation store: its own `provider`, or else a view of its five methods. The
 * view's guarantees are limited to what these methods allow:
 *
 * - Only `create` creates a conversation. A write to an id that `list` doesn't return is refused.
 * - Every read and write takes the owner of the conversation from `list`, because conversations can change owners or be
 *   deleted.
 * - Versions, positions and the incarnation belong to this process. The version increases with every write through the
 *   view and with every change of the number of messages that it sees. Another process, or this one after a restart,
 *   begins at 1 with another incarnation. They and the idempotency key are compared before the append: atomic against
 *   writes through this process, not against those of other processes. A conversation that was created again under the
 *   same id is recognised by its deletion through this process, its `createdAt` and its owner.
 * - If `append` throws, it may still have succeeded. The view then loads the conversation to find out. It does so again
 *   if the write is retried under its key, which no other write may use, or if its receipt is requested. If the result
 *   is still unknown, it fails with a `MemoryStorageError` that isn't retryable.
 * - Metadata stay in this process, for the 2,000 most recently used conversations. An engine's data in them (turns in
 *   progress, pending approvals, the current agent, summaries) are lost in a restart, unknown to other processes, and
 *   forgotten if the owner changes.
 * - A `load` that sanitizes hides pending calls, so they can't be continued after a restart.
 * - `dropLast`, `messageIds`, `maxMessages`, `ttlSeconds`, imports, a search by trace, and replacing messages are
 *   refused.
 *
 * `close` leaves the store open. Throws a `TypeError` if a method is missing or an option is invalid.
 *
 * @example
 * ```ts
 * import { type ConversationStore, providerOf } from "@jaf/memory";
 *
 * declare const store: ConversationStore;
 *
 * const provider = providerOf(store, { userId: "user-42" });
 * const found = await provider.findConversations({ userId: "user-42", limit: 10 });
 * if (found.success) console.log(found.data.map(({ conversationId }) => conversationId));
 * ```
 */
export function providerOf(store: AnyConversationStore, options: ProviderOfOptions = {}): MemoryProvider {
  const { userId } = parseOptions(optionsSchema, options, "providerOf options");
  if (isProviderConversationStore(store)) return store.provider;
  for (const method of METHODS) {
    if (typeof store[method] !== "function") {
      throw new TypeError(`Invalid conversation store: ${method}: expected a function.`);
    }
  }
  return providerFor(store, userId);
}

/** Returns the same object for the same user, because engines may queue runs by provider; a new one after `close`. */
function providerFor(store: AnyConversationStore, userId: string | undefined): MemoryProvider {
  const state = stateOf(store);
  const key = JSON.stringify(userId ?? null);
  const existing = state.providers.get(key);
  if (existing !== undefined) return existing;
  const defined = defineMemoryProvider(createStoreBackend({ store, state, userId }));
  const provider: MemoryProvider = {
    ...defined,
    close: () => {
      state.providers.delete(key);
      return defined.close();
    },
  };
  setBounded(state.providers, [key, provider], MAX_PROVIDERS);
  return provider;
}

interface StoreBackendOptions {
  readonly store: AnyConversationStore;
  readonly state: StoreState;
  /** The user of the provider. Absent: it sees the conversations of all users. */
  readonly userId: string | undefined;
}

/** The storage port over the five methods of a conversation store. See `providerOf` for its limits. */
function createStoreBackend({ store, state, userId: viewerId }: StoreBackendOptions): MemoryBackend {
  const { conversations, queue } = state;

  const list = async (userId = viewerId) =>
    viewerId === undefined || userId === viewerId ? listConversations(store, userId) : [];

  const findListed = async (conversationId: string) => (await list()).find(({ id }) => id === conversationId);

  /**
   * Call it in the conversation's queue. Returns `null` if the conversation doesn't exist. Throws if it may belong to
   * another user.
   */
  async function loadConversation(
    conversationId: string,
    entry?: ListedConversation,
  ): Promise<LoadedConversation | null> {
    const listed = entry ?? (await findListed(conversationId));
    const messages = await loadMessages(store, conversationId);
    if (listed !== undefined) {
      return { listed, local: localStateOf(state, listed, messages.length), messages };
    }
    if (messages.length > 0) throw unlisted(viewerId);
    const isGone = viewerId === undefined || conversations.get(conversationId)?.entry.userId === viewerId;
    if (isGone) conversations.delete(conversationId);
    return null;
  }

  const read = ({ conversationId, messages, asksTime, ...request }: ReadRequest): Promise<ReadOutcome> =>
    queue.run(conversationId, async () => {
      const { owner } = request;
      const isListed = owner === undefined || (await list(owner)).some(({ id }) => id === conversationId);
      const loaded = isListed ? await loadConversation(conversationId) : null;
      // Conversation stores have no clock, so this is the time of the process.
      const time = asksTime === true ? { readAt: new Date() } : {};
      if (loaded === null) return { conversation: null, ...time };
      resolveOpenAppend(loaded, request.receiptFor);
      const { conversation, ...rest } = toRead(wholeEntry(loaded), messages, request);
      return { conversation: withoutDigest(conversation), ...rest, ...time };
    });

  const write = (input: ConversationWrite) =>
    queue.run(input.conversationId, async () => {
      refuseUnsupported(input);
      return writeToStore(store, await loadConversation(input.conversationId), input);
    });

  async function find(query: ConversationQuery): Promise<readonly StoredConversation[]> {
    if (query.traceId !== undefined) {
      const expected = "nothing: a conversation store keeps no traces";
      throw invalidInput([{ path: "query.traceId", expected }], { provider: PROVIDER });
    }
    const candidates = (await list(query.userId))
      .filter(({ id }) => id === (query.conversationId ?? id))
      .map((listed) => ({
        ...listed,
        conversationId: listed.id,
        lastActivity: activityOf(listed, conversations.get(listed.id)?.entry),
        traceIds: NO_TRACES,
      }));
    const found: StoredConversation[] = [];
    for (const listed of selectConversations(candidates, query)) {
      const loaded = await queue.run(listed.id, () => loadConversation(listed.id, listed));
      if (loaded !== null) found.push(withoutDigest(toListed(wholeEntry(loaded), query.includeMessages)));
    }
    return found;
  }

  const remove = (conversationId: string): Promise<boolean> =>
    queue.run(conversationId, async () => {
      const reason = "this conversation store has no delete()";
      if (store.delete === undefined) throw storeFailure("deleteConversation", reason);
      if ((await findListed(conversationId)) === undefined) return false;
      await store.delete(conversationId);
      conversations.delete(conversationId);
      return true;
    });

  async function clearUser(userId: string): Promise<number> {
    let count = 0;
    for (const { id } of await list(userId)) if (await remove(id)) count += 1;
    return count;
  }

  return {
    name: PROVIDER,
    write,
    read,
    find,
    delete: remove,
    clearUser,
    stats: async (userId) =>
      statsOf(await find({ ...present({ userId }), offset: 0, includeMessages: false })),
    // `list` is the only method that works without a conversation. A random id stands for a user that doesn't exist.
    ping: async () => void (await store.list(viewerId ?? crypto.randomUUID())),
    close: async () => {},
    toMemoryError: (operation, thrown) =>
      thrown instanceof ConversationStoreError
        ? { ...thrown.memoryError, operation }
        : createMemoryStorageError(operation, "the conversation store threw", {
            provider: PROVIDER,
            // A write only gets here if its messages were not found afterwards.
            retryable: true,
            cause: thrown,
          }),
  };
}

const NO_TRACES: ReadonlySet<string> = new Set();

/** Others write to the store, too, so a digest would match no real history. */
const withoutDigest = ({ historyDigest: _, ...stored }: StoredConversation): StoredConversation => stored;

function unlisted(viewerId: string | undefined): ConversationStoreError {
  if (viewerId !== undefined) {
    return new ConversationStoreError(createMemoryConflictError("owner", { provider: PROVIDER }));
  }
  const reason =
    "list() of the conversation store doesn't return this conversation, so its owner is unknown. Return every conversation with its userId from list(), or pass a userId to providerOf";
  return storeFailure("list", reason);
}
