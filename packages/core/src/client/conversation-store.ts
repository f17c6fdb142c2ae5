import type { AnyConversationStore, MemoryProvider } from "@jaf/memory";
import {
  createConversationStore,
  createKeyedQueue,
  isProviderConversationStore,
  type KeyedQueue,
  listConversations,
} from "@jaf/memory/internal";

/** A key on the global object, shared by the ES module and the CommonJS module, because a process can load both. */
const SLOT = Symbol.for("@jaf/core/conversation-store");

const slots = globalThis as { [SLOT]?: AnyConversationStore | undefined };

const STORE_METHODS = ["create", "load", "append", "setTitle", "list"] as const;
const EXPECTED = "a ConversationStore or a MemoryProvider";

/**
 * Sets the conversation store of the process. Agent clients without a `store` in their configuration use it. `undefined`
 * removes it. Throws a `TypeError` if it isn't a store.
 *
 * @example
 * ```ts
 * import { getConversationStore, setConversationStore } from "@jaf/core";
 * import { createInMemoryProvider } from "@jaf/memory";
 *
 * setConversationStore(createInMemoryProvider());
 * const conversations = await getConversationStore()?.list("user-42");
 * ```
 */
export function setConversationStore(store: AnyConversationStore | MemoryProvider | undefined): void {
  slots[SLOT] = store === undefined ? undefined : toConversationStore(store, "conversation store");
}

/** Returns the conversation store of the process, or `undefined` if none is set. */
export const getConversationStore = (): AnyConversationStore | undefined => slots[SLOT];

/** Returns the store, or a store on top of the provider. Throws a `TypeError` that begins with `what`. */
export function toConversationStore(
  store: AnyConversationStore | MemoryProvider,
  what: string,
): AnyConversationStore {
  if (typeof store !== "object" || store === null) {
    throw new TypeError(`Invalid ${what}: expected ${EXPECTED}.`);
  }
  if ("appendMessages" in store) return createConversationStore(store);
  for (const method of STORE_METHODS) {
    if (typeof store[method] === "function") continue;
    throw new TypeError(`Invalid ${what}: expected ${EXPECTED}, and it has no ${method}().`);
  }
  return store;
}

/** Returns the store. Throws a `TypeError` if there is none. */
export function storeOf({
  store = getConversationStore(),
}: {
  /** Default: the store of the process. */
  readonly store: AnyConversationStore | undefined;
}): AnyConversationStore {
  if (store !== undefined) return store;
  throw new TypeError(
    "No conversation store: call setConversationStore(store) first, or give createAgentClient a store.",
  );
}

/** The one thread of a user with an agent. */
export interface ThreadOwner {
  readonly userId: string;
  /** The name of the user's thread. */
  readonly agent: string;
}

/**
 * Returns the thread's conversation id. If the store has no method for it, the newest conversation that it lists for user and
 * agent, or else a new one from `create`. A store that lists no agents gets a new conversation each time. Rejects with the
 * store's errors.
 */
export async function threadOf(
  store: AnyConversationStore,
  owner: ThreadOwner,
  create: () => Promise<string>,
): Promise<string> {
  if (isProviderConversationStore(store)) return store.threadFor(owner.userId, owner.agent);
  const queue = queues.get(store) ?? createKeyedQueue();
  queues.set(store, queue);
  const key = JSON.stringify([owner.userId, owner.agent]);
  return queue.run(key, async () => (await findThread(store, owner)) ?? create());
}

/** Queues by store. Without them, two prompts of this process that begin at the same time could each create a thread. */
const queues = new WeakMap<AnyConversationStore, KeyedQueue>();

async function findThread(
  store: AnyConversationStore,
  { userId, agent }: ThreadOwner,
): Promise<string | undefined> {
  let newest: { readonly id: string; readonly at: number } | undefined;
  for (const entry of await listConversations(store, userId)) {
    if (entry.agent !== agent) continue;
    const at = Math.max(entry.createdAt?.getTime() ?? 0, entry.updatedAt?.getTime() ?? 0);
    if (newest === undefined || at > newest.at) newest = { id: entry.id, at };
  }
  return newest?.id;
}
