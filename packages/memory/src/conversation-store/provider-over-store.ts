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

/** What this process knows about each conversation store. All providers over one store share it. */
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
   * The user of the provider. The provider only shows the conversations that `list(userId)` returns. A read or write of
   * another user's conversation fails with a `MemoryConflictError` with reason `"owner"`. Absent: `list()` must return
   * the conversations of all users, each with its owner.
   */
  userId: z.string().min(1).exactOptional(),
});

/** Options of `providerOf`. */
export type ProviderOfOptions = z.input<typeof optionsSchema>;

/** Whether the store keeps its conversations in a memory provider, its field `provider`. */
export function isProviderConversationStore(store: AnyConversationStore): store is ProviderConversationStore {
  // This is so for the stores of this package, and for their subclasses and wrappers.
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
 * Returns a memory provider that reads and writes the conversations of a conversation store. If the store was made over
 * a provider (`createConversationStore`), returns the store's `provider`. Otherwise returns a view, a provider that
 * calls the store's five methods. The guarantees of the view are limited by these methods:
 *
 * - **Creation.** Only `create` creates a conversation. A write to an id that `list` doesn't return is refused.
 * - **Owner.** Every read and write calls `list` to get the owner of the conversation, because the owner can change.
 * - **Versions.** Versions, positions and the incarnation only exist in this process. The version increases with every
 *   write of messages through the view. It also increases when a read shows that another program has changed the number
 *   of messages. Another process, or this process after a restart, begins with version 1 and another incarnation.
 * - **Conditions.** Versions, incarnation and idempotency key are compared before the append. The comparison and the
 *   append are atomic for writes in this process, but not for writes of other processes.
 * - **Deletion.** A conversation can be deleted and created again under the same id. The view notices this if this
 *   process deleted it, or if its `createdAt` or its owner is different.
 * - **Unknown results.** If the store's `append` throws, the store may nevertheless have stored the messages. The view
 *   loads the conversation to find out. It does so again if the write is retried under its idempotency key, or if a
 *   read requests the write's receipt. Until the result is known, a different write with the same key is refused. If
 *   the loaded messages don't show the result, the call fails with a `MemoryStorageError` that isn't retryable.
 * - **Metadata.** Metadata are only kept in this process, for the 2,000 conversations that were used last. They are
 *   lost in a restart and when the owner of the conversation changes. Metadata include the data of the engine: turns in
 *   progress, pending approvals, the current agent, summaries.
 * - **Pending calls.** If `load` sanitizes the messages, it hides pending calls. These calls can't be continued after a
 *   restart.
 * - **Refused:** `dropLast`, `messageIds`, `maxMessages`, `ttlSeconds`, `childOf`, imports, a search by trace, and replacing
 *   messages.
 *
 * `close` doesn't close the store. Throws a `TypeError` if the store lacks a method or an option is invalid.
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

/** Returns the view of a store for one user. Calls for one user return the same object until its `close` is called. */
function providerFor(store: AnyConversationStore, userId: string | undefined): MemoryProvider {
  // An engine may queue its runs by provider object.
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
  /**
   * The user whose conversations the provider shows. `undefined`: the provider shows the conversations of all users.
   */
  readonly userId: string | undefined;
}

/** Creates the storage port over the five methods of a conversation store. */
function createStoreBackend({ store, state, userId: viewerId }: StoreBackendOptions): MemoryBackend {
  // The comment on `providerOf` lists what this storage port can't guarantee.
  const { conversations, queue } = state;

  const list = async (userId = viewerId) =>
    viewerId === undefined || userId === viewerId ? listConversations(store, userId) : [];

  const findListed = async (conversationId: string) => (await list()).find(({ id }) => id === conversationId);

  /**
   * Loads a conversation, or returns `null` if it doesn't exist. Only call this function in a task of
   * `StoreState.queue` with the conversation's id as key.
   */
  async function loadConversation(
    conversationId: string,
    entry?: ListedConversation,
  ): Promise<LoadedConversation | null> {
    // In such a task, no other read or write of this process comes in between. `entry` is the conversation's entry in
    // the result of `list`; without it, this function calls `list`. If the conversation has messages but isn't in the
    // list, this function throws, because the conversation may belong to another user.
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
      // The time by this process's clock, because a conversation store has no clock.
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
    // A conversation store has no children.
    if (query.childrenOf !== undefined) return [];
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
    // `list` is the only method of a store that needs no conversation. If the provider has no user, list the
    // conversations of a random user id, so that the result is empty.
    ping: async () => void (await store.list(viewerId ?? crypto.randomUUID())),
    close: async () => {},
    toMemoryError: (operation, thrown) =>
      thrown instanceof ConversationStoreError
        ? { ...thrown.memoryError, operation }
        : createMemoryStorageError(operation, "the conversation store threw", {
            provider: PROVIDER,
            // An error of a write only arrives here if the messages of the write were not found in the store
            // afterwards.
            retryable: true,
            cause: thrown,
          }),
  };
}

const NO_TRACES: ReadonlySet<string> = new Set();

// Other programs may write to the store, so a computed digest would match no real history.
/** Removes the digest from a conversation that was read. */
const withoutDigest = ({ historyDigest: _, ...stored }: StoredConversation): StoredConversation => stored;

function unlisted(viewerId: string | undefined): ConversationStoreError {
  if (viewerId !== undefined) {
    return new ConversationStoreError(createMemoryConflictError("owner", { provider: PROVIDER }));
  }
  const reason =
    "list() of the conversation store doesn't return this conversation, so its owner is unknown. Return every conversation with its userId from list(), or pass a userId to providerOf";
  return storeFailure("list", reason);
}
