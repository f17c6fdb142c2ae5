import type { AnyConversationStore } from "./store.ts";
import { type ListedConversation, parseListing } from "./store-entry.ts";

export interface StoreDirectory {
  /** Those of the user, of the one who asks, or everybody's. */
  readonly list: (userId?: string) => Promise<readonly ListedConversation[]>;
  /** In the same listing, which is asked each time: what it says is who has a right, and that may change. */
  readonly find: (conversationId: string, userId?: string) => Promise<ListedConversation | undefined>;
}

/** `asking` is the user that the view is for; absent: it may see everything. */
export function createStoreDirectory(
  store: AnyConversationStore,
  asking: string | undefined,
): StoreDirectory {
  async function list(userId = asking): Promise<readonly ListedConversation[]> {
    if (asking !== undefined && userId !== asking) return [];
    // Without an argument, as that is what asks for everybody's.
    const all = parseListing(await (userId === undefined ? store.list() : store.list(userId)));
    const mine = all.filter(
      (entry) => userId === undefined || entry.userId === undefined || entry.userId === userId,
    );
    // A store that filters need not repeat whom it filtered by.
    return mine.map((entry) => ({ ...entry, userId: entry.userId ?? userId }));
  }

  async function find(conversationId: string, userId = asking): Promise<ListedConversation | undefined> {
    return (await list(userId)).find(({ id }) => id === conversationId);
  }

  return { list, find };
}
