import type { AnyConversationStore, MemoryProvider } from "@jaf/memory";
import {
  createConversationStore,
  createKeyedQueue,
  isProviderConversationStore,
  type KeyedQueue,
  listConversations,
} from "@jaf/memory/internal";

/** The key of the conversation store of the process on the global object. */
// Global, because a process can load both the ES module and the CommonJS module.
const SLOT = Symbol.for("@jaf/core/conversation-store");

const slots = globalThis as { [SLOT]?: AnyConversationStore | undefined };

const STORE_METHODS = ["create", "load", "append", "setTitle", "list"] as const;
const EXPECTED = "a ConversationStore or a MemoryProvider";

/**
 * Sets the conversation store of the process, which agent clients without their own `store` use. `undefined` removes
 * the store. Throws a `TypeError` if the value isn't a store.
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

/**
 * Returns the conversation store of the process, or `undefined` if no store is set.
 *
 * @example
 * ```ts
 * import { getConversationStore } from "@jaf/core";
 *
 * for (const { id, title } of (await getConversationStore()?.list("user-42")) ?? []) console.log(id, title);
 * ```
 */
export const getConversationStore = (): AnyConversationStore | undefined => slots[SLOT];

/**
 * Returns a conversation store unchanged, and makes one from a memory provider. Throws a `TypeError` for any other
 * value. `what`: the value's name in the error.
 */
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

/** Returns the agent client's store, or else the store of the process. Throws a `TypeError` if neither is set. */
export function storeOf({
  store = getConversationStore(),
}: {
  /** The agent client's own store. Default: the store of the process. */
  readonly store: AnyConversationStore | undefined;
}): AnyConversationStore {
  if (store !== undefined) return store;
  throw new TypeError(
    "No conversation store: call setConversationStore(store) first, or give createAgentClient a store.",
  );
}

/** The user and the name of a thread: the one conversation that a user has with an agent. */
export interface ThreadOwner {
  readonly userId: string;
  /** The name of the thread, usually the agent's name. */
  readonly agent: string;
}

/**
 * Resolves with the conversation id of a user's thread, which is created if it is missing. Rejects with the store's
 * errors. If the store's list doesn't name the agents of conversations, each call creates a conversation.
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

/** Per store, the queue in which `threadOf` works, one thread after the other. */
// Without a queue, two prompts that begin at the same time could each create a thread.
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
