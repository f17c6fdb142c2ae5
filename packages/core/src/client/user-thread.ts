import type { AnyConversationStore } from "@jaf/memory";
import {
  createKeyedQueue,
  isProviderConversationStore,
  type KeyedQueue,
  listConversations,
} from "@jaf/memory/turns";

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
