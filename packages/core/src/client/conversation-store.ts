import type { AnyConversationStore, MemoryProvider } from "@jaf/memory";
import {
  createConversationStore,
  createKeyedQueue,
  isProviderConversationStore,
  type KeyedQueue,
  listConversations,
} from "@jaf/memory/internal";

/** On the global object, so that the ES module and the CommonJS module share it: a process may load both. */
const SLOT = Symbol.for("@jaf/core/conversation-store");

const slots = globalThis as { [SLOT]?: AnyConversationStore | undefined };

const STORE_METHODS = ["create", "load", "append", "setTitle", "list"] as const;
const EXPECTED = "a ConversationStore or a MemoryProvider";

/**
 * Sets the conversation store of the process, which every agent client uses whose configuration has no `store`. `undefined`
 * removes it. Throws a `TypeError` if it isn't a store.
 */
export function setConversationStore(store: AnyConversationStore | MemoryProvider | undefined): void {
  slots[SLOT] = store === undefined ? undefined : toConversationStore(store, "conversation store");
}

/** The conversation store of the process. `undefined`: none is set. */
export const getConversationStore = (): AnyConversationStore | undefined => slots[SLOT];

/** The store itself, or one over the provider. Throws a `TypeError` that begins with `what`. */
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

/** Throws a `TypeError` where there is none. */
export function storeOf({
  store = getConversationStore(),
}: {
  /** Default: that of the process. */
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
  /** Keeps the threads of one user apart. */
  readonly agent: string;
}

/**
 * The thread's conversation id. Where the store can't say it, the newest conversation that the store lists for both, or
 * what `create` makes: a store that lists no agents gets a new one each time. Rejects with what the store throws.
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

/** By store. Two that begin at once in this process must not both find nothing and make a thread each. */
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
